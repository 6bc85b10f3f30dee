const first = ['anna', 'bruno', 'chiara', 'dario', 'elena', 'fabio', 'giulia', 'ivan', 'laura', 'marco'];
const last = ['rossi', 'bianchi', 'verdi', 'russo', 'ferrari', 'costa', 'gallo', 'conti', 'greco', 'riva'];

/** One person after another, no two alike. */
export function user(n, more = {}) {
  const Username = `${first[n % 10]}.${last[Math.floor(n / 10) % 10]}${Math.floor(n / 100) || ''}`;
  const Password = `una frase lunga ${n}`;
  return { Username, Email: `${Username}@example.com`, Password, ConfirmPassword: Password, ...more };
}

export function users(from, count) {
  return Array.from({ length: count }, (_, n) => user(from + n));
}
