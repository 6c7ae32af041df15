"""Where results go: folders and files of this machine, and object stores."""
