"""What an attention call should cost, from its sizes and the device alone."""
