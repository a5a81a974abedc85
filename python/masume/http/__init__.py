"""What every HTTP server of masume stands on: uvicorn, with limits on what a stranger may take."""
