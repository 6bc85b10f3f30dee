namespace AnagrafeSamples;

// The parts of requests and answers that the samples use.

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
    long? Item1,
    string? Item2,
    bool Item3,
    string? Item4,
    Dictionary<string, FieldError[]> Item5,
    Representation Item6);

record FieldError(string Code, string Message);

record Representation(AppliedUser[]? Users);

record AppliedUser(long ID, string Username);

record JobState(Guid ID, string State, int Users, int UsersDone, int RecordsFailed, DateTimeOffset? EndedAt);

record FailedRecord(int Position, Dictionary<string, FieldError[]> FieldErrors);
