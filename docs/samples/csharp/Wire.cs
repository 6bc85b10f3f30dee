using System;
using System.Collections.Generic;

namespace AnagrafeSamples
{
    // The parts of requests and answers that the samples use.

    sealed class NewUser
    {
        public string Username { get; set; }
        public string Email { get; set; }
        public string Password { get; set; }
        public string ConfirmPassword => Password;
    }

    sealed class NewPassword
    {
        public long ID { get; set; }
        public string Password { get; set; }
        public string ConfirmPassword => Password;
    }

    sealed class Envelope
    {
        public string Message { get; set; }
        public Result Result { get; set; }
    }

    sealed class Result
    {
        public RecordTuple[] Records { get; set; }
        public JobState Record { get; set; }
    }

    sealed class RecordTuple
    {
        public long? Item1 { get; set; }
        public string Item2 { get; set; }
        public bool Item3 { get; set; }
        public string Item4 { get; set; }
        public Dictionary<string, FieldError[]> Item5 { get; set; }
        public Representation Item6 { get; set; }
    }

    sealed class FieldError
    {
        public string Code { get; set; }
        public string Message { get; set; }
    }

    sealed class Representation
    {
        public AppliedUser[] Users { get; set; }
    }

    sealed class AppliedUser
    {
        public long ID { get; set; }
        public string Username { get; set; }
    }

    sealed class JobState
    {
        public Guid ID { get; set; }
        public string State { get; set; }
        public int Users { get; set; }
        public int UsersDone { get; set; }
        public int RecordsFailed { get; set; }
        public DateTimeOffset? EndedAt { get; set; }
    }

    sealed class FailedRecord
    {
        public int Position { get; set; }
        public Dictionary<string, FieldError[]> FieldErrors { get; set; }
    }
}
