"""What prose says of layers: lists with an entry per layer, kinds of layers, how many there are."""
