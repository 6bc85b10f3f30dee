import type { Words } from './english.ts';

const users = (count: number, n: (value: number) => string) =>
  count === 1 ? '1 utente' : `${n(count)} utenti`;

export const italian: Words = {
  title: 'Registro',
  intro: 'Tutto ciò che è stato fatto e da chi, dal più recente, sigillato in una catena.',
  caption: 'Il registro',
  columns: { position: 'Posizione', at: 'Quando', author: 'Da', what: 'Che cosa è stato fatto' },
  empty: { title: 'Ancora nulla è stato fatto', hint: 'Tutto ciò che si fa appare qui entro un secondo.' },
  emptyOf: {
    title: 'Di questa anagrafica non si sa nulla',
    hint: "Nulla è stato fatto a un'anagrafica con questo ID, o il registro non lo ha più.",
  },
  find: {
    position: 'Vai alla posizione',
    principal: "Solo l'anagrafica con ID",
    go: 'Vai',
    all: 'Mostra tutto',
    of: (id) => `Che cosa è stato fatto all'anagrafica ${id}, dal più vecchio.`,
  },
  more: 'Continua a leggere',
  details: 'Dettagli',
  detail: {
    action: 'Azione',
    entry: 'Voce',
    address: 'Indirizzo',
    request: 'Richiesta',
    call: 'Chiamata',
    registered: 'Utenti registrati',
    reset: 'Password reimpostate',
    noted: 'Che cosa è stato annotato',
    seal: 'Sigillo',
  },
  others: (count) => `e altri ${count}`,
  chain: {
    title: 'La catena',
    text: 'Ogni riga è sigillata insieme alla precedente, così ogni modifica si vede. Leggerle tutte richiede un po’ di tempo quando sono milioni.',
    verify: 'Verifica la catena',
    sound: 'Il registro è come è stato scritto',
    soundText: (rows) => `Tutte le ${rows} righe sono integre.`,
    broken: 'Il registro non è come è stato scritto',
    brokenText: (rows, position, fault) =>
      `${rows} righe sono integre, fino alla posizione ${position}: lì una riga è stata ${fault}.`,
    faults: { changed: 'modificata', removed: 'rimossa', inserted: 'inserita', 'cut off': 'troncata' },
    end: 'La fine della catena',
    endHint:
      'Annotala dove chi può scrivere nel database non può: con essa anagrafe audit verify --expect rivela anche se delle righe sono state troncate.',
  },
  told: {
    insert: ({ principal, registered, n }) =>
      registered > 0
        ? `L'anagrafica ${principal} è stata inserita con ${users(registered, n)}`
        : `L'anagrafica ${principal} è stata inserita`,
    update: ({ principal, registered, reset, n }) => {
      const done = [
        registered > 0 && `utenti registrati ${n(registered)}`,
        reset > 0 && `password reimpostate ${n(reset)}`,
      ];
      return `Anagrafica ${principal}: ${done.filter(Boolean).join(', ')}`;
    },
    state: ({ principal, details }) =>
      details.state === undefined
        ? `Sono stati cambiati gli stati di utenti dell'anagrafica ${principal}`
        : `L'anagrafica ${principal} è stata ${details.state === 'disabled' ? 'disabilitata' : 'abilitata'}`,
    'call.completed': ({ count }) =>
      `Risposto a una chiamata: ${count('records')} record, ${count('recordsFailed')} non applicati`,
    'job.submitted': ({ count }) =>
      `È stato inviato un lavoro: ${count('records')} record, ${count('users')} utenti`,
    'job.completed': ({ count }) =>
      `È terminato un lavoro: ${count('records')} record, ${count('recordsFailed')} non applicati`,
    'job.cancelled': () => 'È stato annullato un lavoro',
    'records.read': ({ count, details }) =>
      details.call === 'failed'
        ? 'È stato letto un kit di correzione'
        : `${details.call === 'users' ? 'Utenti letti' : 'Anagrafiche lette'}: ${count('count')}`,
    login: ({ details }) => `L'utente ${details.user} ha effettuato l'accesso`,
    'login.failed': ({ details }) =>
      typeof details.user === 'number'
        ? `Un accesso dell'utente ${details.user} non è riuscito`
        : 'Un accesso con un nome utente sconosciuto non è riuscito',
    'login.refreshed': ({ details }) => `La sessione dell'utente ${details.user} è stata prolungata`,
    'login.reused': ({ details }) =>
      `Un token di rinnovo dell'utente ${details.user} è stato usato due volte: ciò che veniva da quell'accesso è terminato`,
    logout: ({ details }) => `L'utente ${details.user} è uscito`,
    'console.login': () => 'Accesso alla console',
    'console.logout': () => 'Uscita dalla console',
    'client.created': ({ details }) => `Il client API ${details.name} è stato creato`,
    'client.changed': ({ client }) => `Il client API ${client} è stato modificato`,
    'client.rotated': ({ client }) => `Il client API ${client} ha una nuova chiave segreta`,
    'client.revoked': ({ client }) => `Il client API ${client} è stato revocato`,
    'webhook.created': ({ details }) => `Il webhook ${details.webhook} è stato creato`,
    'webhook.changed': ({ details }) => `Il webhook ${details.webhook} è stato modificato`,
    'webhook.rotated': ({ details }) => `Il webhook ${details.webhook} ha una nuova chiave segreta`,
    'webhook.deleted': ({ details }) => `Il webhook ${details.webhook} è stato eliminato`,
    'webhook.disabled': ({ details }) => `Il webhook ${details.webhook} è stato disabilitato: ${details.why}`,
    'webhook.replayed': ({ details, count }) =>
      `Messaggi del webhook ${details.webhook} inviati di nuovo: ${count('count')}`,
  },
};
