import type { Words } from './english.ts';

export const italian: Words = {
  inserted: "L'anagrafica è stata creata.",
  registered: (users) => `Registrazione: ${users}.`,
  reset: (users) => `Password reimpostata: ${users}.`,
  principalState: {
    disabled: "L'anagrafica è stata disabilitata.",
    active: "L'anagrafica è stata abilitata.",
  },
  userState: {
    disabled: (users) => `Disabilitazione: ${users}.`,
    active: (users) => `Abilitazione: ${users}.`,
  },
  sameState: 'È stato impostato uno stato che aveva già.',
  user: (id) => `utente ${id}`,
  andMore: (users, others, told) => (others === 1 ? `${users} e un altro` : `${users} e altri ${told}`),
  deeds: {
    'call.completed': ({ count }) =>
      `Risposto a una chiamata: ${count('records')} record, ${count('recordsFailed')} non applicati.`,
    'job.submitted': ({ count }) =>
      `È stato inviato un lavoro: ${count('records')} record, ${count('users') === '1' ? '1 utente' : `${count('users')} utenti`}.`,
    'job.completed': ({ count }) =>
      `È terminato un lavoro: ${count('records')} record, ${count('recordsFailed')} non applicati.`,
    'job.cancelled': () => 'È stato annullato un lavoro.',
    'records.read': ({ count, details, principal }) => {
      if (details.call === 'failed') return 'È stato letto un kit di correzione.';
      if (details.call === 'users') return `Utenti letti: ${count('count')}.`;
      return principal === null ? `Anagrafiche lette: ${count('count')}.` : 'I suoi dati sono stati letti.';
    },
    login: ({ user }) => `Accesso: ${user}.`,
    'login.failed': ({ user }) =>
      user === null
        ? 'Un accesso con un nome utente sconosciuto non è riuscito.'
        : `Un accesso non è riuscito: ${user}.`,
    'login.refreshed': ({ user }) => `Accesso prolungato: ${user}.`,
    'login.reused': ({ user }) =>
      `Un token di rinnovo è stato usato due volte, e ciò che veniva da quell'accesso è terminato: ${user}.`,
    logout: ({ user }) => `Uscita: ${user}.`,
    'console.login': () => 'Accesso alla console.',
    'console.logout': () => 'Uscita dalla console.',
    'client.created': ({ details }) => `Il client API ${details.name} è stato creato.`,
    'client.changed': ({ client }) => `Il client API ${client} è stato modificato.`,
    'client.rotated': ({ client }) => `Il client API ${client} ha una nuova chiave segreta.`,
    'client.revoked': ({ client }) => `Il client API ${client} è stato revocato.`,
    'client.denied': ({ client, count, details }) =>
      details.why === 'address'
        ? `Il client API ${client} è stato rifiutato: il suo segreto è arrivato da un indirizzo non consentito (tentativo ${count('attempts')} in un'ora).`
        : `Il client API ${client} è stato rifiutato: segreto errato (tentativo ${count('attempts')} in un'ora).`,
    'webhook.created': ({ details, url }) => `Il webhook ${details.webhook}${url} è stato creato.`,
    'webhook.changed': ({ details, url }) => `Il webhook ${details.webhook}${url} è stato modificato.`,
    'webhook.rotated': ({ details }) => `Il webhook ${details.webhook} ha una nuova chiave segreta.`,
    'webhook.deleted': ({ details, url }) => `Il webhook ${details.webhook}${url} è stato eliminato.`,
    'webhook.disabled': ({ details, url, why }) =>
      `Il webhook ${details.webhook}${url} è stato disabilitato. ${why}.`,
    'webhook.replayed': ({ details, count }) =>
      `Messaggi del webhook ${details.webhook} inviati di nuovo: ${count('count')}.`,
  },
};
