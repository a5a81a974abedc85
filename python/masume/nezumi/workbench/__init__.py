"""The workbench of Nezumi's stages: what is odd about one, who wins on it, and a page that shows it."""
