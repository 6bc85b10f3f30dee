import type {
  FileError,
  FileErrorCode,
  FileErrorParams,
  PrincipalField,
  RowError,
  RowErrorCode,
  UserField,
} from '@anagrafe/importer';
import type { Advice, Cause } from './en.ts';

type Messages = typeof import('./en.ts');

const principalLabels: Readonly<Record<PrincipalField, string>> = {
  ExternalKey: 'Codice esterno',
  Denomination: 'Ragione sociale',
  Surname: 'Cognome',
  Name: 'Nome',
  Vatnumber: 'Partita IVA',
  Taxcode: 'Codice fiscale',
  Email: 'Email',
};

const userLabels: Readonly<Record<UserField, string>> = {
  Email: 'Email',
  Phone: 'Telefono',
};

export const common: Messages['common'] = {
  product: 'Anagrafe',
  skip: 'Vai al contenuto',
  navigation: 'Menu principale',
  pages: {
    overview: 'Panoramica',
    principals: 'Anagrafiche',
    import: 'Importazione',
    calls: 'Chiamate',
    jobs: 'Elaborazioni',
    events: 'Eventi',
    webhooks: 'Webhook',
    clients: 'Client API',
    audit: 'Registro attività',
  },
  openMenu: 'Apri il menu',
  closeMenu: 'Chiudi il menu',
  opening: 'Caricamento della console …',
  loading: 'Caricamento …',
  language: 'Lingua',
  scheme: { label: 'Tema', light: 'Chiaro', dark: 'Scuro', auto: 'Automatico' },
  reference: 'Documentazione API',
  signedInAs: 'Connesso come',
  signOut: 'Esci',
  signIn: {
    title: 'Accesso',
    intro: 'Usa le chiavi di un client API con il permesso admin.',
    ended: 'Sessione scaduta. Accedi con lo stesso client entro 15 minuti per riprendere da dove eri.',
    notSignedOut: 'Disconnessione non riuscita. La sessione in questo browser potrebbe essere ancora attiva.',
    publicKey: 'Chiave pubblica',
    publicKeyHint: 'Oppure incolla le due chiavi insieme: pubblica.segreta',
    secretKey: 'Chiave segreta',
    submit: 'Accedi',
    missing: 'Inserisci entrambe le chiavi.',
    help: 'Non hai le chiavi? Crea un client sul server:',
    commandName: 'Comando',
    command: 'npx --no -- anagrafe client create --name console --scope admin',
  },
  protected: {
    title: 'Modalità protetta',
    text: 'Non esiste ancora alcun client API: il servizio accetta solo chiamate da questo computer, senza chiavi. Dopo la creazione del primo client ogni chiamata richiederà le chiavi di un client e sarà possibile collegarsi anche da altri computer.',
    action: 'Crea il primo client',
    dialog: 'Primo client API',
    intro: 'Il client avrà tutti i permessi. Accederai subito con le sue chiavi.',
    name: 'Nome',
    usual: 'console',
    create: 'Crea e accedi',
    notSignedIn: 'Client creato, ma accesso non riuscito. Accedi con queste chiavi.',
  },
  secret: {
    once: 'La chiave segreta viene mostrata una sola volta. Conservala in un luogo sicuro.',
    publicKey: 'Chiave pubblica',
    secretKey: 'Chiave segreta',
    both: 'Entrambe le chiavi, per Authorization: Bearer',
    stored: 'Fatto',
  },
  copy: (what) => `Copia: ${what}`,
  copied: 'Copiato',
  clearSearch: 'Cancella la ricerca',
  finder: {
    open: 'Cerca',
    title: 'Ricerca',
    label: 'Pagina o anagrafica',
    placeholder: 'Pagina, nome, codice esterno, partita IVA, nome utente',
    found: 'Risultati',
    page: 'Pagina',
    nothing: "Nessun risultato. La ricerca delle anagrafiche considera l'inizio delle parole.",
    choose: 'seleziona',
    go: 'apri',
    close: 'chiudi',
  },
  cancel: 'Annulla',
  close: 'Chiudi',
  confirm: { type: (name) => `Scrivi ${name} per confermare` },
  table: {
    retry: 'Riprova',
    failed: 'Caricamento non riuscito',
    page: (page, pages) => `Pagina ${page} di ${pages}`,
    range: (from, to, total) => `${from}–${to} di ${total}`,
    first: 'Prima pagina',
    previous: 'Pagina precedente',
    next: 'Pagina successiva',
    last: 'Ultima pagina',
    pages: (of) => `Paginazione: ${of}`,
    beyond: {
      title: 'Nessun risultato in questa pagina',
      hint: "L'elenco ha meno pagine.",
      action: "Vai all'ultima pagina",
    },
    newest: 'Mostra le voci più recenti',
    behind: 'Ci sono molte nuove voci.',
    older: 'Mostra le voci meno recenti',
    noOlder: 'Nessuna voce precedente.',
  },
  failure: {
    unreachable: 'Servizio non raggiungibile. Controlla che sia attivo e che la rete funzioni, poi riprova.',
    strange: "Risposta inattesa, forse inviata da un proxy. Riprova o contatta l'amministratore.",
    again: 'La sessione era scaduta: nessuna modifica eseguita. Ora sei di nuovo connesso: riprova.',
    unknown: "Si è verificato un errore. Ricarica la pagina; se si ripete, contatta l'amministratore.",
    request: (id) => `ID richiesta: ${id} (da comunicare all'amministratore)`,
  },
  lost: {
    title: 'Pagina non trovata',
    text: 'Nella console non esiste una pagina con questo URL.',
    action: 'Vai alla panoramica',
  },
  never: 'mai',
};

export const actor: Messages['actor'] = {
  client: (name) => name,
  console: (name) => `${name} (console)`,
  user: (id) => (id === null ? 'utente sconosciuto' : `utente ${id}`),
  protected: 'utente locale (nessun client API)',
  operator: 'operatore (riga di comando)',
  service: 'servizio',
  unknownClient: (id) => `client ${id ?? '?'}`,
};

const causes: Readonly<Record<Cause, Advice>> = {
  moved: {
    what: 'Il destinatario ha risposto con un reindirizzamento',
    todo: "I reindirizzamenti non vengono seguiti. Imposta nel webhook l'URL di destinazione.",
  },
  unauthorized: {
    what: "Il destinatario ha negato l'accesso",
    todo: "Controlla che il destinatario abbia la chiave segreta di questo webhook e che il suo orologio sia corretto. Se la chiave è andata persa, rigenerala. Se l'URL richiede un'autenticazione, consenti le richieste senza autenticazione.",
  },
  notFound: {
    what: 'Endpoint non trovato',
    todo: "Controlla l'URL dell'endpoint. Deve accettare richieste POST.",
  },
  gone: {
    what: "L'endpoint non esiste più (410)",
    todo: "Modifica l'URL dell'endpoint o elimina il webhook.",
  },
  tooMany: {
    what: 'Il destinatario limita il numero di richieste (429)',
    todo: 'La consegna viene ritentata automaticamente. Per ridurre le consegne, imposta nel webhook una consegna per record oppure per chiamata o elaborazione.',
  },
  rejected: {
    what: 'Il destinatario ha rifiutato la consegna',
    todo: 'Controlla la risposta qui sotto, risolvi il problema nel destinatario, poi reinvia la consegna.',
  },
  broken: {
    what: 'Il destinatario ha restituito un errore (5xx)',
    todo: "Controlla il log del destinatario all'ora dell'ultimo tentativo. Risolvi il problema, poi reinvia la consegna.",
  },
  slow: {
    what: 'Il destinatario non ha risposto in tempo',
    todo: "Il limite è di 15 secondi: il destinatario deve rispondere subito ed elaborare l'evento dopo. Se non arriva mai una risposta, controlla il firewall.",
  },
  internal: {
    what: "L'indirizzo si trova in una rete interna bloccata",
    todo: 'Per consentirlo, aggiungi la rete ad ANAGRAFE_WEBHOOK_NETWORKS e riavvia il servizio.',
  },
  plainHttp: {
    what: 'URL http non consentito',
    todo: 'Usa un URL https, oppure aggiungi la rete ad ANAGRAFE_WEBHOOK_NETWORKS e riavvia il servizio.',
  },
  closed: {
    what: 'Connessione rifiutata',
    todo: "Controlla che il destinatario sia attivo e che host e porta dell'URL siano corretti.",
  },
  cut: {
    what: 'Connessione interrotta',
    todo: "Il destinatario o un proxy ha chiuso la connessione senza rispondere. Controlla il suo log all'ora dell'ultimo tentativo.",
  },
  unknownName: {
    what: 'Nome host non trovato',
    todo: 'Controlla che il nome host sia scritto correttamente e che il server riesca a risolverlo.',
  },
  unreachable: {
    what: 'Host non raggiungibile',
    todo: 'Controlla la rete e il firewall del server.',
  },
  insecure: {
    what: 'Connessione TLS non riuscita',
    todo: "Controlla il certificato del destinatario: scadenza, nome host, catena completa. Per un'autorità di certificazione privata imposta NODE_EXTRA_CA_CERTS.",
  },
  strange: {
    what: 'La risposta non è HTTP',
    todo: "Controlla la porta e il protocollo (http o https) dell'URL.",
  },
  forgotten: {
    what: 'Evento scaduto',
    todo: "L'evento non è più conservato e non può essere inviato. Riallinea il destinatario leggendo gli elenchi di anagrafiche e utenti.",
  },
  other: {
    what: 'Consegna non riuscita',
    todo: 'Invia un evento di prova e controlla il log del destinatario.',
  },
};

export const failureCause: Messages['failureCause'] = {
  causes,
  byHand: 'Disabilitato manualmente',
  clientRevoked: "Il client che l'ha creato è stato revocato",
  clientLostAdmin: "Il client che l'ha creato non ha più il permesso admin",
  answered: (status) => `Il destinatario ha risposto ${status}`,
  unknown: (why) => (why === '' ? causes.other.what : `${causes.other.what}: ${why}`),
};

export const eventType: Messages['eventType'] = {
  'principal.inserted': 'Anagrafica creata',
  'principal.state_changed': 'Stato anagrafica modificato',
  'user.registered': 'Utente registrato',
  'user.password_reset': 'Password reimpostata',
  'user.state_changed': 'Stato utente modificato',
  'call.completed': 'Chiamata terminata',
  'job.completed': 'Elaborazione terminata',
  'webhook.disabled': 'Webhook disabilitato',
  'webhook.test': 'Evento di prova',
};

/** Joins a formatted number with the singular or the plural of its noun: "1 riga", "12 righe". */
const plural = (count: string, one: string, many: string) => `${count} ${count === '1' ? one : many}`;

const rejected = (count: string) => plural(count, 'scartato', 'scartati');

export const auditRow: Messages['auditRow'] = {
  inserted: 'Anagrafica creata.',
  registered: (users) => `Registrazione: ${users}.`,
  reset: (users) => `Password reimpostata: ${users}.`,
  principalState: { disabled: 'Anagrafica disabilitata.', active: 'Anagrafica abilitata.' },
  userState: {
    disabled: (users) => `Disabilitazione: ${users}.`,
    active: (users) => `Abilitazione: ${users}.`,
  },
  sameState: 'Stato confermato senza modifiche.',
  user: (id) => `utente ${id}`,
  andMore: (users, others, formatted) =>
    others === 1 ? `${users} e un altro` : `${users} e altri ${formatted}`,
  actions: {
    'call.completed': ({ count }) =>
      `Chiamata terminata: ${count('records')} record, ${rejected(count('recordsFailed'))}.`,
    'job.submitted': ({ count }) =>
      `Elaborazione inviata: ${count('records')} record, ${plural(count('users'), 'utente', 'utenti')}.`,
    'job.completed': ({ count }) =>
      `Elaborazione terminata: ${count('records')} record, ${rejected(count('recordsFailed'))}.`,
    'job.cancelled': () => 'Elaborazione annullata.',
    'records.read': ({ count, details, principal }) => {
      if (details.call === 'failed') return 'File degli scarti scaricato.';
      if (details.call === 'users') return `Utenti letti: ${count('count')}.`;
      return principal === null ? `Anagrafiche lette: ${count('count')}.` : 'Anagrafica letta.';
    },
    login: ({ user }) => `Accesso: ${user}.`,
    'login.failed': ({ user }) =>
      user === null ? 'Accesso non riuscito: nome utente sconosciuto.' : `Accesso non riuscito: ${user}.`,
    'login.refreshed': ({ user }) => `Sessione rinnovata: ${user}.`,
    'login.reused': ({ user }) => `Refresh token usato due volte, sessione terminata: ${user}.`,
    logout: ({ user }) => `Disconnessione: ${user}.`,
    'console.login': () => 'Accesso alla console.',
    'console.logout': () => 'Disconnessione dalla console.',
    'client.created': ({ details }) => `Client API ${details.name} creato.`,
    'client.changed': ({ client }) => `Client API ${client} modificato.`,
    'client.rotated': ({ client }) => `Chiave segreta del client API ${client} rigenerata.`,
    'client.revoked': ({ client }) => `Client API ${client} revocato.`,
    'client.denied': ({ client, count, details }) =>
      details.why === 'address'
        ? `Client API ${client} respinto: indirizzo IP non consentito (tentativi nell'ultima ora: ${count('attempts')}).`
        : `Client API ${client} respinto: chiave segreta errata (tentativi nell'ultima ora: ${count('attempts')}).`,
    'webhook.created': ({ details, url }) => `Webhook ${details.webhook}${url} creato.`,
    'webhook.changed': ({ details, url }) => `Webhook ${details.webhook}${url} modificato.`,
    'webhook.rotated': ({ details }) => `Chiave segreta del webhook ${details.webhook} rigenerata.`,
    'webhook.deleted': ({ details, url }) => `Webhook ${details.webhook}${url} eliminato.`,
    'webhook.disabled': ({ details, url, why }) => `Webhook ${details.webhook}${url} disabilitato. ${why}.`,
    'webhook.replayed': ({ details, count }) =>
      `Consegne del webhook ${details.webhook} reinviate: ${count('count')}.`,
  },
};

export const result: Messages['result'] = {
  operation: { update: 'Aggiornamento utenti', insert: 'Creazione anagrafiche', state: 'Cambio di stato' },
  progress: {
    users: (done, all) => `${done} di ${all} utenti`,
    records: (done, all) => `${done} di ${all} record`,
    cancelled: (applied, others) => `Applicati ${applied} · Annullati o scartati ${others}`,
    failed: rejected,
    waiting: 'in coda',
    rate: (rate) => `${rate} utenti al secondo`,
    ends: 'Fine prevista',
  },
  tuples: {
    title: 'Record',
    caption: 'Esito dei record',
    position: 'N.',
    principal: 'Anagrafica',
    outcome: 'Esito',
    reason: 'Errori',
    applied: 'Applicato',
    notApplied: 'Scartato',
    cancelled: 'Annullato',
    none: 'Non ci sono ancora esiti',
    noneHint: 'I record appaiono qui dopo essere stati elaborati.',
    noneFailed: 'Nessun record scartato',
    noneFailedHint: 'Disattiva il filtro per vedere i record applicati.',
    moreFaults: (count) =>
      `Altri campi con errori: ${count}. Scarica il file degli scarti per vederli tutti.`,
  },
  failedOnly: 'Solo scartati',
  failedFile: {
    action: 'Scarica il file degli scarti',
    hint: 'I record scartati con i loro errori, senza password, da correggere e reinviare.',
    saved: 'File degli scarti scaricato. Correggi i record, aggiungi le password e reinviali.',
  },
  user: (number) => `Utente ${number}`,
  fields: {
    Record: 'Record',
    ID: 'ID',
    ...principalLabels,
    Users: 'Utenti',
    Username: 'Nome utente',
    ...userLabels,
    Password: 'Password',
    ConfirmPassword: 'Conferma password',
    CurrentPassword: 'Password attuale',
    PasswordHash: 'Hash della password',
    State: 'Stato',
  },
};

export const audit: Messages['audit'] = {
  title: 'Registro attività',
  intro: 'Tutte le attività con data e autore, dalla più recente.',
  caption: 'Voci',
  columns: {
    position: 'Posizione',
    at: 'Data',
    author: 'Autore',
    about: 'Anagrafica',
    what: 'Attività',
  },
  empty: { title: 'Non ci sono ancora voci', hint: 'Le attività appaiono qui entro un secondo.' },
  emptyOf: {
    title: 'Nessuna attività su questa anagrafica',
    hint: "L'ID non esiste, oppure le sue voci sono scadute.",
  },
  find: {
    position: 'Posizione',
    principal: 'ID anagrafica',
    go: 'Vai',
    reads: 'Mostra anche le letture',
    all: 'Mostra tutto',
    newest: 'Torna alle voci più recenti',
    of: (id) => `Voci dell'anagrafica ${id}.`,
    from: (position) => `Posizione ${position} e precedenti. Le nuove voci non vengono aggiunte.`,
  },
  details: 'Dettagli',
  detail: {
    action: 'Codice attività',
    entry: 'ID voce',
    address: 'Indirizzo IP',
    request: 'ID richiesta',
    call: 'ID chiamata',
    registered: 'Utenti registrati',
    reset: 'Password reimpostate',
    noted: 'Dati',
    seal: 'Hash',
  },
  others: (count) => `e altri ${count}`,
  chain: {
    title: 'Integrità del registro',
    text: "La verifica della catena di hash rileva se nel database una voce è stata modificata, rimossa o inserita. Per rilevare in seguito anche la rimozione delle voci più recenti, conserva l'ultimo hash fuori dal database.",
    verify: 'Verifica il registro',
    sound: 'Registro integro',
    soundText: (rows) => `Voci verificate: ${rows}. Nessuna anomalia.`,
    broken: 'Registro alterato',
    brokenText: (rows, position, fault) =>
      `Alla posizione ${position} una voce è stata ${fault}. Voci integre: ${rows}.`,
    faults: {
      changed: 'modificata',
      removed: 'rimossa',
      inserted: 'inserita',
      'cut off': 'rimossa dalla fine',
    },
    end: 'Ultimo hash',
    endHint:
      'Conservalo fuori dal database. Per confrontarlo in seguito esegui anagrafe audit verify --expect sul server.',
  },
};

export const calls: Messages['calls'] = {
  title: 'Chiamate',
  intro: 'Chiamate sincrone, dalla più recente. Simulazioni escluse.',
  caption: 'Chiamate',
  failedOnly: 'Solo con record scartati',
  columns: {
    at: 'Data',
    call: 'Chiamata',
    author: 'Autore',
    records: 'Record',
    failed: 'Scartati',
    users: 'Utenti elaborati',
    took: 'Durata',
  },
  milliseconds: (count) => `${count} ms`,
  empty: {
    title: 'Non ci sono ancora chiamate',
    hint: 'Qui appaiono le chiamate che registrano utenti, reimpostano password, creano anagrafiche o ne cambiano lo stato.',
  },
  emptyFailed: {
    title: 'Nessuna chiamata con record scartati',
    hint: 'Disattiva il filtro per vedere tutte le chiamate.',
  },
  one: (id) => `Chiamata ${id}`,
  all: 'Tutte le chiamate',
  figures: 'Riepilogo',
  facts: {
    at: 'Data',
    operation: 'Operazione',
    author: 'Autore',
    address: 'Indirizzo IP',
    request: 'ID richiesta',
    records: 'Record',
    failed: 'Scartati',
    users: 'Utenti',
    usersApplied: 'Utenti elaborati',
    took: 'Durata',
    id: 'ID chiamata',
  },
};

export const clients: Messages['clients'] = {
  title: 'Client API',
  intro: "Programmi che possono chiamare l'API, ciascuno con le proprie chiavi.",
  caption: 'Client API',
  create: 'Nuovo client',
  columns: {
    name: 'Nome',
    publicKey: 'Chiave pubblica',
    scopes: 'Permessi',
    networks: 'IP consentiti',
    created: 'Creato',
    actions: 'Azioni',
  },
  anywhere: 'tutti',
  knownByAddress: "riconosciuto dall'IP",
  revoked: 'Revocato',
  you: 'tu',
  empty: {
    title: 'Non ci sono ancora client',
    hint: 'Finché non crei il primo client, il servizio accetta solo chiamate da questo computer.',
    action: 'Crea un client',
  },
  actionsOf: (name) => `Azioni per ${name}`,
  edit: 'Modifica',
  rotate: 'Rigenera la chiave segreta',
  revoke: 'Revoca',
  form: {
    createTitle: 'Nuovo client',
    editTitle: (name) => `Client ${name}`,
    name: 'Nome',
    nameHint: 'Ad esempio erp, crm, importazione',
    scopes: 'Permessi',
    scope: {
      'sync:write': 'sync:write – registra utenti, reimposta password, crea anagrafiche, modifica gli stati',
      'sync:read': 'sync:read – legge anagrafiche, utenti ed eventi',
      admin: 'admin – tutto, compresa questa console',
    },
    scopesMissing: 'Seleziona almeno un permesso.',
    networks: 'Indirizzi IP consentiti',
    networksHint:
      'Indirizzi o reti, uno per riga, ad esempio 10.0.0.0/8. Lascia vuoto per consentirli tutti.',
    knownByAddress: "Riconosci dall'indirizzo IP",
    knownByAddressHint:
      'Le chiamate dagli indirizzi consentiti non richiedono chiavi. Solo per programmi che non possono inviarle.',
    submitCreate: 'Crea client',
    submitEdit: 'Salva',
    ownScope: 'Sei connesso con questo client. Senza il permesso admin la sessione terminerà.',
  },
  created: (name) => `Client ${name} creato`,
  saved: (name) => `Client ${name} salvato. Le modifiche valgono dalla prossima chiamata.`,
  rotateTitle: (name) => `Nuova chiave segreta per ${name}`,
  rotateText:
    'Per un periodo valgono entrambe le chiavi, così puoi aggiornare il programma senza interruzioni.',
  hours: 'Validità residua della vecchia chiave (ore)',
  hoursHint: 'Con 0 scade subito.',
  rotateSubmit: 'Rigenera la chiave',
  rotateOwn: 'Sei connesso con questo client. Resterai connesso con la nuova chiave.',
  oldEnds: (moment) => `Vecchia chiave valida fino al ${moment}`,
  revokeTitle: (name) => `Revocare ${name}?`,
  revokeText:
    'Le sue chiavi smetteranno subito di funzionare. Le sue voci nel registro attività resteranno. Operazione irreversibile.',
  revokeOwn: 'Sei connesso con questo client: la sessione terminerà.',
  revokedNotice: (name) => `Client ${name} revocato.`,
};

export const events: Messages['events'] = {
  title: 'Eventi',
  intro: 'Eventi inviati ai webhook, dal più recente.',
  caption: 'Eventi',
  type: 'Tipo di evento',
  allTypes: 'Tutti i tipi',
  columns: { id: 'ID evento', at: 'Data', type: 'Evento', about: 'Oggetto' },
  empty: {
    title: 'Non ci sono ancora eventi',
    hint: 'Qui appaiono gli eventi, ad esempio utenti registrati, password reimpostate e chiamate terminate.',
  },
  emptyType: { title: 'Nessun evento di questo tipo', hint: 'I nuovi eventi appaiono qui.' },
  emptySoFar: {
    title: 'Nessun evento recente di questo tipo',
    hint: 'Mostra le voci meno recenti o seleziona un altro tipo.',
  },
  reached: (moment) => `Ricerca eseguita a ritroso fino al ${moment}.`,
  reachedAll: 'Ricerca eseguita su tutti gli eventi conservati.',
  about: {
    principal: (id) => `anagrafica ${id}`,
    user: (id, name) => (name === null ? `utente ${id}` : `utente ${id}, ${name}`),
    state: { active: 'stato: attivo', disabled: 'stato: disabilitato' },
    records: (records, failed) => `${records} record, ${rejected(failed)}`,
    webhook: (id, url) => `webhook ${id}, ${url}`,
  },
};

const fileErrors: { readonly [Code in FileErrorCode]: (params: FileErrorParams[Code]) => string } = {
  BINARY_FILE: () => 'Non è un file CSV, JSON o NDJSON. Scegli un file di testo in uno di questi formati.',
  SPREADSHEET_FILE: () => 'È un foglio di calcolo. Salvalo come "CSV UTF-8" e importa quel file.',
  NOT_IN_ENCODING: ({ line, encoding }) => `La riga ${line} contiene byte non validi in ${encoding}.`,
  ENCODING_CHANGES: ({ line, from, to }) =>
    `Codifica mista: ${from}, poi ${to} dalla riga ${line}. Salva il file con una sola codifica.`,
  NO_HEADER: () => 'Il file è vuoto: manca la riga con i nomi delle colonne.',
  INVALID_SEPARATOR: () =>
    'Il separatore deve essere un solo carattere, diverso dalle virgolette e dal fine riga.',
  NUL_IN_HEADER: ({ line }) =>
    `La riga ${line} contiene un carattere NUL: non è un file di testo, oppure è UTF-16 senza BOM.`,
  UNCLOSED_QUOTE: ({ line, limit }) =>
    `Le virgolette aperte alla riga ${line} non vengono chiuse entro ${limit} caratteri o entro la fine del file.`,
  NOT_A_LIST: ({ line, column }) =>
    `Riga ${line}, colonna ${column}: il file deve contenere un array JSON o un oggetto JSON per riga.`,
  MISSING_COLUMN: ({ needed, found }) =>
    `Manca la colonna ${needed.join(' o ')}. Colonne trovate: ${quoted(found)}. Controlla che la prima riga contenga i nomi delle colonne, oppure assegna la colonna qui sopra.`,
  DUPLICATE_COLUMN: ({ field, columns }) =>
    `Più colonne sono assegnate a ${field}: ${quoted(columns)}. Lasciane una sola.`,
  MAPPED_COLUMN_MISSING: ({ column, found }) =>
    `Manca la colonna "${column}". Colonne trovate: ${quoted(found)}.`,
  UNKNOWN_FIELD: ({ column, field }) => `Il campo "${field}", assegnato a "${column}", non esiste.`,
  INVALID_JSON: ({ line, column }) => `Riga ${line}, colonna ${column}: JSON non valido.`,
  NOT_AN_OBJECT: ({ line, column }) => `Riga ${line}, colonna ${column}: serve un oggetto.`,
  DUPLICATE_NAME: ({ line, column }) =>
    `Riga ${line}, colonna ${column}: l'oggetto contiene due volte lo stesso nome.`,
  ROW_TOO_LARGE: ({ line, limit }) => `La riga ${line} supera il limite di ${limit} caratteri.`,
  TEXT_AFTER_QUOTE: ({ line }) =>
    `Riga ${line}: testo dopo le virgolette di chiusura. Le virgolette interne vanno raddoppiate.`,
  NUL_CHARACTER: ({ line }) => `La riga ${line} contiene un carattere NUL.`,
  WRONG_CELL_COUNT: ({ expected, found }) => `Celle nella riga: ${found} invece di ${expected}.`,
  UNNAMED_COLUMN: ({ column }) => `La colonna ${column} contiene un valore ma non ha un nome.`,
  UNKNOWN_COLUMN: ({ column }) => `"${column}" non è una colonna della prima riga.`,
  NOT_A_TEXT: ({ column }) => `"${column}" deve essere un testo tra virgolette.`,
  INVALID_ID: ({ field }) => `${field} deve essere un numero intero maggiore di zero.`,
  AMBIGUOUS_USER: () =>
    'Indica Username per registrare un utente oppure UserID per reimpostare la password, non entrambi.',
  UNRECOGNISED_USER: () => 'Manca il nome utente (Username).',
  NOT_FOR_RESET: ({ field }) => `${field} non è ammesso quando si reimposta una password.`,
  NO_PRINCIPAL: () => "Manca l'anagrafica dell'utente.",
  PASSWORDS_DIFFER: () => 'Password e ConfirmPassword non coincidono.',
};

/** Returns the Italian message of an error in a file or a row. The importer itself has the English messages. */
function fileErrorInItalian({ code, params }: FileError): string {
  const format = fileErrors[code] as (params: FileError['params']) => string;
  return format(params);
}

const rowErrors: Readonly<Record<RowErrorCode, string>> = {
  RESET_IN_IMPORT:
    'Questa riga reimposta una password; l\'importazione registra solo nuovi utenti. Reimpostala nella pagina dell\'anagrafica oppure usa "anagrafe reset".',
  USER_NOT_FOUND: 'Utente non trovato.',
  RECORD_NOT_APPLIED: 'Il record verrebbe scartato.',
  RESET_WITHOUT_PRINCIPAL: "Con UserID, indica l'anagrafica con ID o ExternalKey.",
  PRINCIPAL_NOT_INSERTED: "Creazione dell'anagrafica non riuscita.",
  USERNAME_TAKEN: 'Nome utente già presente in una riga precedente.',
  EXTERNAL_KEY_TAKEN: "Codice esterno già presente in un'altra riga.",
};

/** Returns the Italian message of a row error. An error without a code comes from the service, already in Italian. */
function rowErrorInItalian({ code, fileError, message }: RowError): string {
  if (fileError) return fileErrorInItalian(fileError);
  return code ? rowErrors[code] : message;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

export const imports: Messages['imports'] = {
  title: 'Importazione',
  intro: "Registra nuovi utenti da un file. Prima dell'importazione puoi controllare e correggere le righe.",
  choose: {
    title: 'File',
    drop: 'Trascina qui un file CSV, JSON o NDJSON',
    button: 'Scegli un file',
    hint: (rows) =>
      `La prima riga contiene i nomi delle colonne, ad esempio Nome utente, Email, Password, Codice cliente. Massimo ${rows} righe; per file più grandi usa la riga di comando:`,
    command: 'npx --no -- anagrafe import utenti.csv',
    commandName: 'Comando',
    reading: 'Lettura del file …',
    failed: 'File non leggibile',
    tooMany: (rows) => `Il file supera le ${rows} righe. Importalo con "anagrafe import", che non ha limiti.`,
    noRows: 'Il file non contiene righe.',
    unreadable: 'Il browser non riesce ad aprire il file. Controlla che esista ancora e che sia leggibile.',
  },
  another: 'Scegli un altro file',
  drop: {
    title: 'Chiudere questo file?',
    text: 'Le correzioni e le righe scartate, con le loro password, andranno perse. Per conservare le righe scartate, scaricale prima.',
    action: 'Chiudi il file',
  },
  rowsOf: (name, rows) => `${name} (${plural(rows, 'riga', 'righe')})`,
  columns: {
    title: 'Colonne',
    caption: 'Colonne del file',
    name: 'Colonna',
    samples: 'Valori di esempio',
    field: 'Campo',
    fieldOf: (column) => `Campo per ${column}`,
    unnamed: (place) => `Colonna ${place}`,
    notRead: 'Ignora',
    hidden: 'nascosto',
    records: 'Il file contiene record completi con i loro utenti. Non ci sono colonne da assegnare.',
  },
  principal: {
    label: 'Anagrafica predefinita, per le righe che non la indicano',
    by: 'Identificata da',
    id: 'ID',
    externalKey: 'Codice esterno',
    value: 'ID o codice esterno',
    hint: "Lascia vuoto se ogni riga indica l'anagrafica.",
    wrong: 'Inserisci un numero intero maggiore di zero.',
  },
  principalField: (label) => `Anagrafica: ${label}`,
  fields: {
    UserID: 'ID utente (solo per reimpostare la password)',
    Username: 'Nome utente',
    Password: 'Password',
    ConfirmPassword: 'Conferma password',
    PasswordHash: 'Hash della password',
  },
  check: 'Controlla le righe',
  checkAgain: 'Ricontrolla',
  checkFailed: 'Controllo non riuscito',
  rows: {
    title: 'Righe',
    caption: 'Righe del file con i loro errori',
    line: 'Riga',
    errors: 'Errori',
    fine: 'OK',
    surplus: 'Celle in più',
    notChecked: 'Modificata, da ricontrollare',
    record: 'Record',
    open: (users) => `Modifica il JSON (${plural(users, 'utente', 'utenti')})`,
    at: (place, line) => `${place} (riga ${line})`,
    moreErrors: (count) => `e altri ${count}`,
    only: 'Con errori',
    all: 'Tutte le righe',
    view: 'Filtro righe',
    allFine: (rows) => `${plural(rows, 'riga', 'righe')}, nessun errore.`,
    problems: (faulty, rows) => `Righe con errori: ${faulty} su ${rows}.`,
    correct:
      "Correggi le righe qui e ricontrollale, oppure importa solo le altre: potrai scaricare quelle con errori dopo l'importazione.",
    changed: 'Alcune righe sono state modificate. Ricontrollale prima di importarle.',
    none: 'Nessuna riga con errori',
    noneHint: 'Puoi importare il file oppure mostrare tutte le righe.',
    cell: (field, line) => `${field}, riga ${line}`,
    estimate: (duration) => `Il calcolo degli hash delle password richiede circa ${duration}.`,
  },
  run: (rows, count) => (count === 1 ? 'Importa 1 riga' : `Importa ${rows} righe`),
  sendFailed: 'Importazione non riuscita',
  sending: 'Invio delle righe in corso. Non chiudere questa pagina prima della fine.',
  progress: {
    title: 'Importazione in corso',
    safe: "Puoi lasciare questa pagina: l'importazione prosegue in background.",
    jobs: 'Mostra le elaborazioni',
  },
  outcome: {
    title: 'Importazione terminata',
    applied: (rows) => `Righe importate: ${rows}.`,
    failed: (rows) => `Righe scartate: ${rows}. Correggile qui oppure scaricale con i loro errori.`,
    correct: 'Correggi le righe scartate',
    download: 'Scarica le righe scartate',
  },
  fileError: fileErrorInItalian,
  rowError: rowErrorInItalian,
};

export const jobs: Messages['jobs'] = {
  title: 'Elaborazioni',
  intro: 'Chiamate in background di tutti i client, dalla più recente.',
  caption: 'Elaborazioni',
  failedOnly: 'Solo con record scartati',
  columns: {
    job: 'Elaborazione',
    client: 'Client',
    state: 'Stato',
    progress: 'Avanzamento',
    failed: 'Scartati',
    submitted: 'Inviata',
    ended: 'Terminata',
  },
  states: { queued: 'In coda', running: 'In corso', completed: 'Completata', cancelled: 'Annullata' },
  empty: {
    title: 'Non ci sono ancora elaborazioni',
    hint: "Le importazioni e le chiamate con l'intestazione Prefer: respond-async vengono eseguite come elaborazioni.",
  },
  emptyFailed: {
    title: 'Nessuna elaborazione con record scartati',
    hint: 'Disattiva il filtro per vedere tutte le elaborazioni.',
  },
  one: (id) => `Elaborazione ${id}`,
  all: 'Tutte le elaborazioni',
  progress: 'Avanzamento',
  figures: 'Riepilogo',
  facts: {
    id: 'ID elaborazione',
    state: 'Stato',
    operation: 'Operazione',
    client: 'Client',
    records: 'Record',
    applied: 'Applicati',
    failed: 'Scartati',
    cancelledOrFailed: 'Annullati o scartati',
    users: 'Utenti',
    usersDone: 'Utenti elaborati',
    rate: 'Utenti al secondo',
    submitted: 'Inviata',
    started: 'Iniziata',
    ended: 'Terminata',
    left: 'Fine prevista',
  },
  cancel: 'Annulla elaborazione',
  keepRunning: 'Continua elaborazione',
  cancelTitle: (id) => `Annullare l'elaborazione ${id}?`,
  cancelText:
    "I record già applicati restano e quelli in corso potrebbero ancora essere applicati. Gli altri vengono annullati: potrai scaricarli e reinviarli. Un'elaborazione annullata non si può riprendere.",
  cancelled: 'Elaborazione annullata.',
};

export const overview: Messages['overview'] = {
  title: 'Panoramica',
  intro: 'Totali, attività in corso ed errori recenti.',
  figures: {
    label: 'Totali',
    users: 'Utenti',
    principals: 'Anagrafiche',
    sessions: 'Sessioni attive',
    jobs: 'Elaborazioni in corso',
    today: (count) => `${count} oggi`,
    queued: (count) => `${count} in coda`,
  },
  steps: {
    title: 'Prossimi passi',
    client: {
      title: 'Crea un client API',
      text: "Ogni programma che chiama l'API ha le proprie chiavi.",
      action: 'Client API',
    },
    register: {
      title: 'Crea la prima anagrafica con un utente',
      text: 'Esegui questo comando in un terminale, oppure invia la stessa richiesta dal tuo programma.',
      label: 'Comando',
      action: 'Oppure importa gli utenti da un file',
    },
    read: {
      title: 'Leggi la documentazione API',
      text: 'Tutte le chiamate, con esempi.',
      action: 'Documentazione API',
    },
  },
  activity: {
    title: 'Attività',
    span: 'Periodo',
    hours: 'Ultime 24 ore',
    days: 'Ultimi 30 giorni',
    accounts: 'Utenti e anagrafiche',
    calls: 'Chiamate e record scartati',
    registered: 'Utenti registrati',
    reset: 'Password reimpostate',
    inserted: 'Anagrafiche create',
    answered: 'Chiamate',
    jobs: 'Elaborazioni',
    failed: 'Record scartati',
    time: 'Ora',
    none: 'Nessuna attività in questo periodo',
  },
  hashing: {
    title: 'Hash delle password',
    rate: (rate, capacity) => `${rate} di ${capacity} hash al secondo`,
    bar: 'Carico di questo nodo',
    running: 'In corso',
    interactive: 'In coda (richieste singole)',
    bulk: 'In coda (richieste massive)',
    node: 'Solo questo nodo',
  },
  jobs: {
    title: 'Elaborazioni in corso',
    none: 'Nessuna elaborazione in corso',
    noneHint: 'Qui appaiono le importazioni e le chiamate in background mentre sono in corso.',
    more: (count) => `e altre ${count}`,
  },
  failures: {
    title: 'Errori recenti',
    caption: 'Ultimi record scartati',
    at: 'Data',
    operation: 'Operazione',
    principal: 'Anagrafica',
    reason: 'Errore',
    none: 'Nessun errore',
    noneHint: 'Qui appaiono i record scartati con i loro errori.',
    more: (count) => (count === '1' ? 'e un altro errore' : `e altri ${count} errori`),
  },
};

export const principals: Messages['principals'] = {
  title: 'Anagrafiche',
  intro: 'Aziende e clienti con i loro utenti.',
  all: 'Tutte le anagrafiche',
  create: 'Nuova anagrafica',
  createIntro: 'Basta compilare un campo.',
  submitCreate: 'Crea anagrafica',
  created: 'Anagrafica creata. Non ha ancora utenti.',
  search: 'Cerca anagrafiche',
  searchHint: 'Nome, codice esterno, partita IVA, nome utente',
  count: (count, formatted) => (count === 1 ? '1 anagrafica' : `${formatted} anagrafiche`),
  columns: {
    name: 'Nome',
    id: 'ID',
    externalKey: 'Codice esterno',
    vatnumber: 'Partita IVA',
    users: 'Utenti',
    updated: 'Ultima modifica',
  },
  fields: principalLabels,
  userFields: userLabels,
  states: {
    principal: { active: 'Attiva', disabled: 'Disabilitata' },
    user: { active: 'Attivo', disabled: 'Disabilitato' },
  },
  empty: {
    title: 'Non ci sono ancora anagrafiche',
    hint: "Crea la prima, importa un file oppure usa l'API.",
    action: 'Importa un file',
  },
  notFound: (term) => ({
    title: `Nessun risultato per "${term}"`,
    hint: "La ricerca considera l'inizio delle parole e dei nomi utente. Prova con meno lettere.",
  }),
  missing: {
    title: 'Anagrafica non trovata',
    text: "Nessuna anagrafica ha l'ID indicato nell'URL.",
  },
  details: {
    title: 'Dettagli',
    state: 'Stato',
    id: 'ID',
    users: 'Utenti',
    created: 'Creata',
    updated: 'Ultima modifica',
  },
  users: {
    title: 'Utenti',
    search: 'Cerca utenti',
    searchHint: 'Inizio del nome utente',
    columns: {
      username: 'Nome utente',
      state: 'Stato',
      lastLogin: 'Ultimo accesso',
      passwordChanged: 'Ultimo cambio password',
      actions: 'Azioni',
    },
    id: (id) => `ID ${id}`,
    actionsOf: (username) => `Azioni per ${username}`,
    empty: { title: 'Non ci sono ancora utenti', hint: 'Gli utenti registrati possono accedere subito.' },
    notFound: { title: 'Nessun risultato', hint: 'Nessun nome utente di questa anagrafica inizia così.' },
  },
  register: {
    action: 'Registra utente',
    title: 'Nuovo utente',
    username: 'Nome utente',
    optional: (label) => `${label} (facoltativo)`,
    submit: 'Registra utente',
    done: (username) => `Utente ${username} registrato`,
  },
  reset: {
    title: (username) => `Nuova password per ${username}`,
    text: "La vecchia password smetterà di funzionare e tutte le sessioni dell'utente termineranno.",
    submit: 'Reimposta la password',
    done: (username) => `Password di ${username} reimpostata`,
  },
  password: {
    label: 'Password',
    generate: 'Genera',
    show: 'Mostra la password',
    hide: 'Nascondi la password',
    meter: 'Robustezza della password',
    strength: { weak: 'Debole', fair: 'Discreta', good: 'Buona', strong: 'Ottima' },
    taken: 'La password soddisfa i requisiti.',
  },
  newPassword: {
    once: "La password viene mostrata una sola volta. Comunicala all'utente in modo sicuro.",
    username: 'Nome utente',
    password: 'Password',
    done: 'Fatto',
  },
  turn: {
    disabled: {
      action: 'Disabilita',
      title: (name) => `Disabilitare ${name}?`,
      principal:
        'Le sessioni dei suoi utenti termineranno. Finché non la riabiliti, i suoi utenti non potranno accedere e non sarà possibile registrarne altri.',
      user: "L'utente non potrà più accedere e tutte le sue sessioni termineranno.",
      done: (name) => `${name}: disabilitazione eseguita.`,
    },
    active: {
      action: 'Abilita',
      title: (name) => `Abilitare ${name}?`,
      principal:
        'I suoi utenti potranno accedere di nuovo, tranne quelli disabilitati singolarmente. Le sessioni terminate non verranno ripristinate.',
      user: "L'utente potrà accedere di nuovo con la stessa password, a meno che l'anagrafica non sia disabilitata. Le sessioni terminate non verranno ripristinate.",
      done: (name) => `${name}: abilitazione eseguita.`,
    },
  },
  history: {
    title: 'Cronologia',
    at: 'Data',
    what: 'Attività',
    who: 'Autore',
    address: 'Indirizzo IP',
    withReads: 'Mostra anche le letture',
    empty: {
      title: 'Nessuna attività su questa anagrafica',
      hint: "Qui appaiono le modifiche all'anagrafica e ai suoi utenti.",
    },
  },
};

export const webhooks: Messages['webhooks'] = {
  title: 'Webhook',
  intro: 'Endpoint che ricevono eventi firmati.',
  caption: 'Webhook',
  create: 'Nuovo webhook',
  columns: {
    url: "URL dell'endpoint",
    state: 'Stato',
    types: 'Eventi',
    granularity: 'Una consegna per',
    created: 'Creato',
    actions: 'Azioni',
  },
  enabled: 'Attivo',
  disabled: 'Disabilitato',
  allTypes: 'Tutti gli eventi',
  granularity: { user: 'evento', record: 'record', job: 'chiamata o elaborazione' },
  empty: {
    title: 'Non ci sono ancora webhook',
    hint: 'Un webhook invia al tuo programma gli eventi, ad esempio utenti registrati, password reimpostate ed elaborazioni terminate.',
    action: 'Crea un webhook',
  },
  actionsOf: (url) => `Azioni per ${url}`,
  deliveries: 'Mostra le consegne',
  edit: 'Modifica',
  test: 'Invia un evento di prova',
  rotate: 'Rigenera la chiave segreta',
  enable: 'Abilita',
  disable: 'Disabilita',
  remove: 'Elimina',
  form: {
    createTitle: 'Nuovo webhook',
    editTitle: 'Impostazioni del webhook',
    url: "URL dell'endpoint",
    urlHint: 'https, oppure http nelle reti di ANAGRAFE_WEBHOOK_NETWORKS',
    types: 'Eventi',
    typesHint: 'Lascia vuoto per riceverli tutti.',
    granularity: 'Una consegna per',
    granularityHint: {
      user: 'Evento – 100.000 utenti producono 100.000 consegne',
      record: 'Record – tutti gli utenti di un record in una consegna',
      job: 'Chiamata o elaborazione – solo gli eventi di chiamata terminata, elaborazione terminata e webhook disabilitato',
    },
    submitCreate: 'Crea webhook',
    submitEdit: 'Salva',
  },
  created: 'Webhook creato',
  secretOnce:
    'La chiave segreta viene mostrata una sola volta. Serve al destinatario per verificare le firme.',
  secret: 'Chiave segreta',
  stored: 'Fatto',
  saved: 'Webhook salvato.',
  wasEnabled: 'Webhook abilitato. Gli eventi conservati nel frattempo vengono inviati ora.',
  wasDisabled: 'Webhook disabilitato. Gli eventi vengono conservati finché non lo riabiliti.',
  notChanged: 'Webhook non modificato',
  rotateTitle: 'Nuova chiave segreta del webhook',
  rotateText:
    'Per un periodo le consegne sono firmate con entrambe le chiavi, così puoi aggiornare il destinatario.',
  hours: 'Validità residua della vecchia chiave (ore)',
  hoursHint: 'Con 0 scade subito.',
  rotateSubmit: 'Rigenera la chiave',
  oldEnds: (moment) => `Vecchia chiave valida fino al ${moment}`,
  removeTitle: 'Eliminare il webhook?',
  removeText: (url) =>
    `${url} non riceverà più eventi e le consegne in attesa verranno eliminate. Operazione irreversibile.`,
  removed: 'Webhook eliminato.',
  testTitle: 'Evento di prova',
  testText: (url) => `Un evento di tipo webhook.test verrà inviato a ${url}. La risposta apparirà qui.`,
  testSubmit: 'Invia',
  taken: 'Consegnato',
  waiting: 'In attesa',
  answered: (status) => `HTTP ${status}`,
  took: (milliseconds) => `dopo ${milliseconds} ms`,
  one: (id) => `Webhook ${id}`,
  all: 'Tutti i webhook',
  figures: 'Endpoint',
  list: {
    title: 'Consegne',
    caption: 'Consegne con le risposte ricevute',
    at: 'Data',
    type: 'Evento',
    state: 'Stato',
    attempts: 'Tentativi',
    answer: 'Risposta ricevuta',
    actions: 'Azioni',
    failedOnly: 'Solo fallite',
    states: { pending: 'In attesa', delivered: 'Riuscita', failed: 'Fallita' },
    next: (when) => `prossimo tentativo ${when}`,
    again: 'Reinvia',
    againOf: (id) => `Reinvia ${id}`,
    allAgain: 'Reinvia tutte le fallite',
    sent: (count) => `Consegne reinviate: ${count}`,
    noneGivenUp: 'Nessuna consegna fallita. Quelle in attesa vengono ritentate automaticamente.',
    notSent: 'Reinvio non riuscito',
    whenEnabled: 'Il webhook è disabilitato. Le consegne verranno inviate quando lo riabiliti.',
    none: 'Non ci sono ancora consegne',
    noneHint: 'Qui appare una consegna per ogni evento di questo webhook.',
    noneFailed: 'Nessuna consegna fallita',
    noneFailedHint: 'Una consegna risulta fallita solo dopo diversi giorni di tentativi.',
  },
  next: { attempt: 'Prossimo tentativo', now: 'adesso', onceEnabled: 'quando il webhook verrà riabilitato' },
  delivery: {
    title: (id) => `Consegna ${id}`,
    type: 'Evento',
    body: 'Corpo della richiesta',
    created: 'Creata',
    attempted: 'Ultimo tentativo',
    forgotten: "L'evento è scaduto e non è più conservato.",
    shortened: 'Testo troncato. Copialo per averlo completo.',
    noAnswer: 'Risposta vuota.',
    beginning: 'Vengono conservati solo i primi 1.000 caratteri.',
  },
};
