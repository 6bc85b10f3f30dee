namespace AnagrafeSamples;

// What goes over the wire, as far as the samples need it.

record NewUser(string Username, string? Email, string Password)
{
    public string ConfirmPassword => Password;
}

record NewPassword(long ID, string Password)
{
    public string ConfirmPassword => Password;
}

record Envelope(string? Message, Result? Result);

record Result(RecordTuple[] Records, JobState? Record);

record RecordTuple(
    long? Item1, string? Item2, bool Item3, string? Item4, Dictionary<string, Fault[]> Item5, Representation Item6);

record Fault(string Code, string Message);

record Representation(AppliedUser[]? Users);

record AppliedUser(long ID, string Username);

record JobState(Guid ID, string State, int Users, int UsersDone, int RecordsFailed, DateTimeOffset? EndedAt);

record FailedRecord(int Position, Dictionary<string, Fault[]> Faults);
