"""`python -m dynodesk` is the command `dynodesk`."""

from dynodesk.cli.main import main

if __name__ == "__main__":
    main()
