"""The native operations, by what they are about; those that no module has asked for are imported when needed."""
