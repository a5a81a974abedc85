"""The workbench for Nezumi stages: findings about a stage, win rates on it, and a page that shows both."""
