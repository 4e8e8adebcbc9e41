"""What writes authored files: fixes, skeletons, review stamps."""
