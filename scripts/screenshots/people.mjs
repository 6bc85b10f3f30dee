const first = ['anna', 'bruno', 'chiara', 'dario', 'elena', 'fabio', 'giulia', 'ivan', 'laura', 'marco'];
const last = ['rossi', 'bianchi', 'verdi', 'russo', 'ferrari', 'costa', 'gallo', 'conti', 'greco', 'riva'];

/** One person after another, no two alike. */
export function user(n, more = {}) {
  const [firstName, lastName] = [first[n % 10], last[Math.floor(n / 10) % 10]];
  const Username = `${firstName}.${lastName}${Math.floor(n / 100) || ''}`;
  const Password = `una frase lunga ${n}`;
  return {
    Username,
    Email: `${Username}@example.com`,
    FirstName: capitalised(firstName),
    LastName: capitalised(lastName),
    Password,
    ConfirmPassword: Password,
    ...more,
  };
}

function capitalised(name) {
  return name[0].toUpperCase() + name.slice(1);
}

export function users(from, count) {
  return Array.from({ length: count }, (_, n) => user(from + n));
}
