"""Run the `hinge` command as `python -m hinge`."""

from hinge.cli import main

if __name__ == "__main__":
    main()
