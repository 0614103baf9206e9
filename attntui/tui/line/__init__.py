"""What goes over the line: the difference between the screen that is there and the one wanted."""
