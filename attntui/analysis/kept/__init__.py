"""Facts of a whole trace that are kept from one opening to the next."""
