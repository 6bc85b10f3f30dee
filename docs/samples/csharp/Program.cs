using System;
using System.IO;
using System.Threading.Tasks;
using Newtonsoft.Json;

namespace AnagrafeSamples
{
    /// <summary>Runs the sample that the first argument names: register 1 &lt;users.json</summary>
    static class Program
    {
        const string Usage =
            "usage: register <ID> | reset <ID> | records <file> <key> | job <file> <key> | webhook";

        static int Main(string[] args)
        {
            try
            {
                return Run(args).GetAwaiter().GetResult();
            }
            catch (Exception error) when (error is CallFailed || error is FormatException || error is JsonException || error is IOException)
            {
                Console.Error.WriteLine(error.Message);
                return 2;
            }
        }

        static Task<int> Run(string[] args)
        {
            switch ($"{(args.Length > 0 ? args[0] : "")} {args.Length - 1}")
            {
                case "register 1": return Register.Run(long.Parse(args[1]));
                case "reset 1": return Reset.Run(long.Parse(args[1]));
                case "records 2": return Records.Run(args[1], args[2]);
                case "job 2": return Job.Run(args[1], args[2]);
                case "webhook 0": return Webhook.Run();
                default: throw new CallFailed(Usage);
            }
        }

        /// <summary>Reads an array from standard input.</summary>
        public static T[] ReadInput<T>() => JsonConvert.DeserializeObject<T[]>(Console.In.ReadToEnd());
    }
}
