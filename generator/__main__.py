"""``python -m generator`` is the command."""

from generator.cli import main

if __name__ == "__main__":
    main()
