"""What the tests of commands share: each test has a folder of its own, which goes when the test ends."""
import os
import tempfile
import unittest


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)

    def file(self, name, text):
        """Writes a file below the folder, and the folders on the way; its path."""
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def text(self, path):
        with open(path, encoding="utf-8") as f:
            return f.read()
