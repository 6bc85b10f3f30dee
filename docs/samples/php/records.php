<?php

// Sends many records, one per line of a file, and saves the failed lines: php records.php records.ndjson batch-17
// Run it again with the same file and key to resume: no record is applied twice.

declare(strict_types=1);

require __DIR__ . '/anagrafe.php';

if ($argc !== 3) {
    fail('usage: php records.php <file> <key>');
}
[, $file, $key] = $argv;

$lines = file($file, FILE_IGNORE_NEW_LINES) ?: fail("$file has no records.");
[, $answer] = update('[' . implode(',', $lines) . ']', $key);

$tuples = $answer['result']['records'];
$applied = count(array_filter(array_column($tuples, 'Item3')));
echo "$applied of " . count($tuples) . " records were applied.\n";

// Tuples have the order of the lines.
$failed = [];
foreach ($tuples as $index => $record) {
    if (!$record['Item3']) {
        $failed[] = "$lines[$index]\n";
        report('line ' . ($index + 1), "$record[Item4] ($record[Item2])", $record['Item5']);
    }
}
if ($failed !== []) {
    file_put_contents("$file.failed", $failed);
    fwrite(STDERR, "Correct $file.failed and send it with a new key.\n");
    exit(1);
}
