<?php

// Registers users under a principal, all or none: php register.php 1 <users.json

declare(strict_types=1);

require __DIR__ . '/anagrafe.php';

if ($argc !== 2 || !ctype_digit($argv[1])) {
    fail('usage: php register.php <principal ID> <users.json');
}

$users = array_map(
    fn (array $user) => [...$user, 'ConfirmPassword' => $user['Password']],
    json_decode(stream_get_contents(STDIN), true, flags: JSON_THROW_ON_ERROR),
);
$body = json_encode([['ID' => (int) $argv[1], 'Users' => $users]], JSON_THROW_ON_ERROR);
[, $answer] = update($body, key: bin2hex(random_bytes(16)), prefer: 'return=representation');

[$record] = $answer['result']['records'];
if (!$record['Item3']) {
    report('No user was registered', $record['Item4'], $record['Item5']);
    exit(1);
}
foreach ($record['Item6']['Users'] as ['ID' => $id, 'Username' => $username]) {
    echo "$username has the ID $id\n";
}
