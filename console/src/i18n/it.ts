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
  ExternalKey: 'Chiave esterna',
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
  navigation: 'Pagine',
  pages: {
    overview: 'Riepilogo',
    principals: 'Anagrafiche',
    import: 'Importazione',
    calls: 'Chiamate',
    jobs: 'Lavori',
    events: 'Eventi',
    webhooks: 'Webhook',
    clients: 'Client API',
    audit: 'Registro',
  },
  openMenu: 'Apri il menu',
  closeMenu: 'Chiudi il menu',
  opening: 'Apertura della console …',
  loading: 'Caricamento …',
  language: 'Lingua',
  scheme: { label: 'Aspetto', light: 'Chiaro', dark: 'Scuro', auto: 'Come il sistema' },
  reference: 'Riferimento API',
  signedInAs: 'Accesso come',
  signOut: 'Esci',
  signIn: {
    title: 'Accedi',
    intro: "Con le chiavi di un client API che ha l'ambito admin.",
    ended:
      'La sessione è terminata. Accedi con lo stesso client entro 15 minuti e ritrovi tutto come lo hai lasciato.',
    notSignedOut: 'Non è stato possibile uscire: chi apre la console qui può ancora agire a tuo nome.',
    publicKey: 'Chiave pubblica',
    publicKeyHint: 'Oppure incolla le due chiavi insieme: pubblica.segreta',
    secretKey: 'Chiave segreta',
    submit: 'Accedi',
    missing: 'Servono entrambe le chiavi.',
    help: 'Chiavi non a portata di mano? Sulla macchina del servizio, con le sue impostazioni:',
    commandName: 'il comando',
    command: 'npx --no -- anagrafe client create --name console --scope admin',
  },
  protected: {
    title: 'Modalità protetta',
    text: 'Non esiste ancora alcun client API. Fino ad allora il servizio risponde soltanto a programmi e browser su questa macchina, senza chiedere chi sono. Con il primo client tutto questo finisce: da quel momento ogni chiamata richiede una chiave, e sono servite anche le chiamate da altre macchine.',
    action: 'Crea il primo client',
    dialog: 'Il primo client',
    intro: 'Può fare tutto, anche qui nella console: accederai subito con le sue chiavi.',
    name: 'Nome',
    usual: 'console',
    create: 'Crea e accedi',
    notSignedIn: "Il client è stato creato, ma l'accesso non è riuscito. Accedi con queste chiavi.",
  },
  secret: {
    once: 'La chiave segreta è mostrata solo adesso. Copiala dove conservi le password.',
    publicKey: 'Chiave pubblica',
    secretKey: 'Chiave segreta',
    both: 'Entrambe in una, per Authorization: Bearer',
    stored: "L'ho conservata",
  },
  copy: (what) => `Copia: ${what}`,
  copied: 'Copiato',
  clearSearch: 'Cancella la ricerca',
  finder: {
    open: 'Cerca',
    title: 'Vai a',
    label: 'Pagina o anagrafica',
    placeholder: 'Una pagina, un nome, una chiave esterna, una partita IVA, un nome utente',
    found: 'Trovati',
    page: 'Pagina',
    nothing: "Non c'è nulla con questo nome. Le anagrafiche si trovano dall'inizio di ogni parola.",
    choose: 'scegli',
    go: 'vai',
    close: 'chiudi',
  },
  cancel: 'Annulla',
  close: 'Chiudi',
  confirm: { type: (name) => `Scrivi ${name} per continuare` },
  table: {
    retry: 'Riprova',
    failed: 'Caricamento non riuscito',
    page: (page, pages) => `Pagina ${page} di ${pages}`,
    range: (from, to, total) => `${from}–${to} di ${total}`,
    first: 'Prima pagina',
    previous: 'Pagina precedente',
    next: 'Pagina successiva',
    last: 'Ultima pagina',
    pages: (of) => `Pagine di: ${of}`,
    beyond: {
      title: 'Niente in questa pagina',
      hint: "L'elenco finisce prima.",
      action: "Vai all'ultima pagina",
    },
    newest: 'Mostra i più recenti',
    behind: 'Nel frattempo è accaduto molto, che qui non appare ancora.',
    older: 'Mostra i meno recenti',
    noOlder: "Non c'è nulla di meno recente.",
  },
  failure: {
    unreachable:
      'Il servizio non è raggiungibile. Controlla che sia in esecuzione e che ci sia connessione, poi riprova.',
    strange:
      "Ha risposto qualcosa che non è il servizio: forse un proxy. Riprova, o chiedi a chi gestisce l'installazione.",
    again: 'La sessione era terminata, perciò non è stato fatto nulla. Ora hai di nuovo accesso: riprova.',
    unknown:
      'Qualcosa non ha funzionato in questa pagina. Ricaricala; se succede ancora, avvisa chi gestisce il servizio.',
    request: (id) => `Richiesta ${id}: così la si trova nel log del servizio.`,
  },
  lost: {
    title: 'Questa pagina non esiste',
    text: "L'indirizzo non porta da nessuna parte nella console.",
    action: 'Vai al riepilogo',
  },
  never: 'mai',
};

export const actor: Messages['actor'] = {
  client: (name) => name,
  console: (name) => `${name}, dalla console`,
  user: (id) => (id === null ? 'chi ci ha provato' : `utente ${id}`),
  protected: 'qualcuno in modalità protetta',
  operator: "l'operatore, dalla riga di comando",
  service: 'il servizio stesso',
  unknownClient: (id) => `client ${id ?? '?'}`,
};

const causes: Readonly<Record<Cause, Advice>> = {
  moved: {
    what: 'Chi riceve si trova altrove',
    todo: "Ha risposto con un reindirizzamento, che non viene seguito. Modifica il webhook: inserisci l'indirizzo a cui porta.",
  },
  unauthorized: {
    what: 'Chi riceve non lascia entrare il messaggio',
    todo: "Controlla che conosca la chiave segreta di questo webhook e che il suo orologio sia giusto. Se la chiave è persa, creane una nuova. Se davanti all'indirizzo c'è un accesso con password, escludi l'indirizzo.",
  },
  notFound: {
    what: 'A questo indirizzo nulla accetta messaggi',
    todo: "Confronta l'indirizzo con quello di chi riceve, lettera per lettera. Deve accettare POST.",
  },
  gone: {
    what: "Chi riceve non c'è più",
    todo: "Qui non vuole altri messaggi. Modifica l'indirizzo, o elimina il webhook.",
  },
  tooMany: {
    what: 'Per chi riceve sono troppi messaggi',
    todo: 'Si ritenta più tardi da sé. I messaggi sono meno se ne scegli uno per ogni record, o per ogni chiamata e lavoro.',
  },
  rejected: {
    what: 'Chi riceve ha rifiutato il messaggio',
    todo: 'Ciò che è tornato può dire perché. Correggi chi riceve, poi invia di nuovo.',
  },
  broken: {
    what: 'Chi riceve ha avuto un errore',
    todo: "Guarda nel suo log all'ora dell'ultimo tentativo. Quando è riparato, invia di nuovo.",
  },
  slow: {
    what: 'Chi riceve non ha risposto in tempo',
    todo: 'Ha 15 secondi. Dovrebbe rispondere subito e lavorare dopo. Se non risponde mai, può esserci di mezzo un firewall.',
  },
  internal: {
    what: "L'indirizzo è in una rete a cui non si invia nulla",
    todo: "Se è quello giusto, nomina la sua rete nell'impostazione ANAGRAFE_WEBHOOK_NETWORKS e riavvia il servizio.",
  },
  plainHttp: {
    what: 'Là non si invia nulla senza cifratura',
    todo: "Modifica l'indirizzo perché inizi con https, o nomina la sua rete nell'impostazione ANAGRAFE_WEBHOOK_NETWORKS e riavvia il servizio.",
  },
  closed: {
    what: 'A questo indirizzo nessuno è in ascolto',
    todo: "Controlla che chi riceve sia in funzione, e che host e porta dell'indirizzo siano giusti.",
  },
  cut: {
    what: 'La connessione è stata interrotta',
    todo: "Chi riceve, o un proxy davanti, ha chiuso senza rispondere. Guarda nel suo log all'ora dell'ultimo tentativo.",
  },
  unknownName: {
    what: "Il nome nell'indirizzo non è noto",
    todo: 'Controlla come è scritto, e che sulla macchina del servizio si possa risolvere.',
  },
  unreachable: {
    what: "Non c'è una strada verso questo indirizzo",
    todo: 'Controlla la rete e il firewall della macchina del servizio.',
  },
  insecure: {
    what: 'Non si è stabilita una connessione sicura',
    todo: "Controlla il certificato di chi riceve: non scaduto, emesso per il nome nell'indirizzo, inviato con tutta la catena. NODE_EXTRA_CA_CERTS indica al servizio un'autorità propria.",
  },
  strange: {
    what: 'Ciò che ha risposto non parla HTTP',
    todo: "Controlla la porta dell'indirizzo, e se dev'essere http o https.",
  },
  forgotten: {
    what: 'Questo non si può più inviare',
    todo: 'Ciò di cui avvisa non è più conservato. Chi riceve può aggiornarsi dagli elenchi di anagrafiche e utenti.',
  },
  other: {
    what: 'Chi riceve non lo ha accettato',
    todo: 'Prova il webhook con un messaggio di prova, e guarda nel log di chi riceve.',
  },
};

export const failureCause: Messages['failureCause'] = {
  causes,
  byHand: 'A mano',
  clientRevoked: 'Il suo client è stato revocato',
  clientLostAdmin: 'Il suo client ha perso il permesso admin',
  answered: (status) => `Chi riceve ha risposto ${status}`,
  unknown: (why) => (why === '' ? causes.other.what : `${causes.other.what}: ${why}`),
};

export const eventType: Messages['eventType'] = {
  'principal.inserted': 'Anagrafica inserita',
  'principal.state_changed': "Stato di un'anagrafica cambiato",
  'user.registered': 'Utente registrato',
  'user.password_reset': 'Password reimpostata',
  'user.state_changed': 'Stato di un utente cambiato',
  'call.completed': 'Chiamata completata',
  'job.completed': 'Lavoro completato',
  'webhook.disabled': 'Webhook disabilitato',
  'webhook.test': 'Messaggio di prova',
};

export const auditRow: Messages['auditRow'] = {
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

export const result: Messages['result'] = {
  operation: { update: 'Utenti', insert: 'Anagrafiche', state: 'Stati' },
  progress: {
    users: (done, all) => `${done} di ${all} utenti`,
    records: (done, all) => `${done} di ${all} record`,
    failed: (count) => `${count} non applicati`,
    waiting: 'aspetta il suo turno',
    rate: (rate) => `${rate} utenti al secondo`,
    ends: 'Termina',
  },
  tuples: {
    title: 'Record',
    caption: 'Che cosa ne è stato dei record',
    position: 'N.',
    principal: 'Anagrafica',
    outcome: 'Esito',
    reason: 'Motivo',
    applied: 'Applicato',
    notApplied: 'Non applicato',
    none: 'Nessun record ha ancora un esito.',
    noneHint: 'Appaiono qui appena sono stati elaborati.',
    noneFailed: 'Nessun record non applicato.',
    noneFailedHint: 'Mostrali tutti per vedere quelli applicati.',
    moreFaults: (count) => `e altri ${count} punti: ci sono tutti nel kit di correzione`,
  },
  failedOnly: 'Solo non applicati',
  kit: {
    action: 'Kit di correzione',
    hint: 'I record non applicati, con i loro errori e senza password, da correggere e inviare di nuovo.',
    saved: 'Il kit di correzione è stato salvato: correggilo, aggiungi le password e invialo di nuovo.',
  },
  user: (number) => `Utente ${number}`,
  fields: {
    Record: 'Il record',
    ID: 'ID',
    ...principalLabels,
    Users: 'Utenti',
    Username: 'Nome utente',
    ...userLabels,
    Password: 'Password',
    ConfirmPassword: 'Conferma della password',
    CurrentPassword: 'Password attuale',
    PasswordHash: 'Hash della password',
    State: 'Stato',
  },
};

export const audit: Messages['audit'] = {
  title: 'Registro',
  intro: 'Tutto ciò che è stato fatto, quando e da chi, dal più recente.',
  caption: 'Il registro',
  columns: {
    position: 'Posizione',
    at: 'Quando',
    author: 'Da',
    about: 'Riguarda',
    what: 'Che cosa è stato fatto',
  },
  principal: (id) => `Anagrafica ${id}`,
  empty: {
    title: 'Non è ancora stato fatto nulla',
    hint: 'Tutto ciò che si fa appare qui entro un secondo.',
  },
  emptyOf: {
    title: 'Di questa anagrafica non si sa nulla',
    hint: "Non è stato fatto nulla a un'anagrafica con questo ID, o il registro non lo ha più.",
  },
  find: {
    position: 'Vai alla posizione',
    principal: "Solo l'anagrafica con ID",
    go: 'Vai',
    reads: 'Anche ciò che è stato solo letto',
    all: 'Mostra tutto',
    newest: 'Torna ai più recenti',
    of: (id) => `Che cosa è stato fatto all'anagrafica ${id}.`,
    from: (position) => `Dalla posizione ${position} all'indietro; qui non si aggiunge ciò che è nuovo.`,
  },
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
    title: 'Il registro è intatto?',
    text: 'Il controllo dimostra se qualcuno con accesso al database ha modificato, rimosso o aggiunto una riga. Poi copia la fine del registro, che il controllo mostra, in un luogo fuori dal database: solo con essa un controllo successivo può rivelare che le righe più recenti sono state tagliate.',
    verify: 'Controlla il registro',
    sound: 'Il registro è come è stato scritto',
    soundText: (rows) => `Tutte le ${rows} righe ci sono, e nessuna è stata modificata.`,
    broken: 'Il registro non è come è stato scritto',
    brokenText: (rows, position, fault) =>
      `${rows} righe sono come sono state scritte. Alla posizione ${position} una riga è stata ${fault}.`,
    faults: { changed: 'modificata', removed: 'rimossa', inserted: 'inserita', 'cut off': 'troncata' },
    end: 'La fine del registro',
    endHint:
      'Conservala fuori dal database. Sulla macchina del servizio, anagrafe audit verify --expect confronta con essa un registro successivo.',
  },
};

export const calls: Messages['calls'] = {
  title: 'Chiamate',
  intro: 'Le chiamate a cui si è risposto subito, dalla più recente. Le prove non ne fanno parte.',
  caption: 'Chiamate',
  failedOnly: 'Solo con record non applicati',
  columns: {
    at: 'Quando',
    call: 'Chiamata',
    author: 'Da',
    records: 'Record',
    failed: 'Non applicati',
    users: 'Utenti applicati',
    took: 'Durata',
  },
  milliseconds: (count) => `${count} ms`,
  empty: {
    title: 'Ancora nessuna chiamata',
    hint: 'Qui appaiono le chiamate che registrano utenti, reimpostano password, inseriscono anagrafiche o cambiano stati.',
  },
  emptyFailed: {
    title: 'Nessuna chiamata con record non applicati',
    hint: 'Mostrale tutte per vedere quelle in cui ogni record è stato applicato.',
  },
  one: (id) => `Chiamata ${id}`,
  all: 'Tutte le chiamate',
  figures: 'Cifre',
  facts: {
    at: 'Quando',
    operation: 'Che cosa si è scritto',
    author: 'Da',
    address: "Dall'indirizzo",
    request: 'Richiesta',
    records: 'Record',
    failed: 'Non applicati',
    users: 'Utenti',
    usersApplied: 'Utenti applicati',
    took: 'Durata',
    id: 'ID',
  },
};

export const clients: Messages['clients'] = {
  title: 'Client API',
  intro: 'I programmi che possono chiamare il servizio, ciascuno con le proprie chiavi.',
  caption: 'Client API',
  create: 'Nuovo client',
  columns: {
    name: 'Nome',
    publicKey: 'Chiave pubblica',
    scopes: 'Ambiti',
    networks: 'Può chiamare da',
    created: 'Creato',
    actions: 'Azioni',
  },
  anywhere: 'ovunque',
  knownByAddress: "noto dall'indirizzo",
  revoked: 'Revocato',
  you: 'tu',
  empty: {
    title: 'Ancora nessun client',
    hint: "Finché non ce n'è uno, il servizio è aperto solo a questa macchina. Crea il primo per far chiamare programmi da altrove.",
    action: 'Crea un client',
  },
  actionsOf: (name) => `Azioni per ${name}`,
  edit: 'Modifica',
  rotate: 'Nuova chiave segreta',
  revoke: 'Revoca',
  form: {
    createTitle: 'Nuovo client',
    editTitle: (name) => `Modifica ${name}`,
    name: 'Nome',
    nameHint: 'Di quale programma si tratta: erp, crm, importazione …',
    scopes: 'Ambiti',
    scope: {
      'sync:write': 'Scrittura: registrare utenti, reimpostare password, inserire e modificare anagrafiche',
      'sync:read': 'Lettura: anagrafiche, utenti ed eventi',
      admin: 'Amministrazione: tutto, compresa questa console',
    },
    scopesMissing: 'Scegline almeno uno.',
    networks: 'Reti',
    networksHint:
      'Indirizzi o reti da cui può chiamare, uno per riga, ad esempio 10.0.0.0/8. Vuoto: da ovunque.',
    knownByAddress: "Noto dall'indirizzo",
    knownByAddressHint:
      'Le chiamate dalle sue reti non richiedono chiavi. Per vecchi programmi che non possono inviarle.',
    submitCreate: 'Crea',
    submitEdit: 'Salva',
    ownScope: "Hai effettuato l'accesso con questo client. Senza l'ambito admin la tua sessione termina.",
  },
  created: (name) => `${name} è stato creato`,
  saved: (name) => `${name} è stato modificato. Vale dalla sua prossima chiamata.`,
  rotateTitle: (name) => `Una nuova chiave segreta per ${name}`,
  rotateText: "Per un po' valgono entrambe le chiavi, così il programma si aggiorna senza interruzioni.",
  hours: 'Ore per cui vale ancora la vecchia chiave',
  hoursHint: 'Con 0 termina subito.',
  rotateSubmit: 'Crea una nuova chiave',
  rotateOwn: "Hai effettuato l'accesso con questo client; accederai di nuovo con la nuova chiave.",
  oldEnds: (moment) => `La vecchia chiave termina: ${moment}`,
  revokeTitle: (name) => `Revoca ${name}`,
  revokeText:
    'È escluso subito e per sempre: le sue chiavi non varranno mai più. Ciò che ha fatto resta nel registro.',
  revokeOwn: "Hai effettuato l'accesso con questo client: revocandolo termina la tua sessione.",
  revokedNotice: (name) => `${name} è stato revocato.`,
};

export const events: Messages['events'] = {
  title: 'Eventi',
  intro: 'Che cosa è accaduto, dal più recente: lo stesso che viene comunicato ai webhook.',
  caption: 'Eventi',
  type: 'Tipo',
  allTypes: 'Tutti i tipi',
  columns: { id: 'ID', at: 'Quando', type: 'Che cosa è accaduto', about: 'Riguarda' },
  empty: {
    title: 'Non è ancora accaduto nulla',
    hint: 'Qui appaiono nuovi utenti, password reimpostate e chiamate.',
  },
  emptyType: {
    title: 'Nessuno di questo tipo',
    hint: 'Scegli un altro tipo, o attendi: i nuovi appaiono qui.',
  },
  emptySoFar: {
    title: 'Finora nessuno di questo tipo',
    hint: 'Mostra i meno recenti, o scegli un altro tipo.',
  },
  reached: (moment) => `Ricerca arrivata a ${moment}.`,
  reachedAll: "Ricerca arrivata all'evento più vecchio conservato.",
  about: {
    principal: (id) => `anagrafica ${id}`,
    user: (id, name) => (name === null ? `utente ${id}` : `utente ${id}, ${name}`),
    state: { active: 'abilitato', disabled: 'disabilitato' },
    records: (records, failed) => `${records} record, ${failed} non applicati`,
    webhook: (id, url) => `webhook ${id}, ${url}`,
  },
};

const sentences: { readonly [Code in FileErrorCode]: (params: FileErrorParams[Code]) => string } = {
  SPREADSHEET_FILE: () => 'È il file di un foglio di calcolo. Salvalo prima da lì come "CSV UTF-8".',
  NOT_IN_ENCODING: ({ line, encoding }) => `La riga ${line} ha byte che non sono ${encoding}.`,
  ENCODING_CHANGES: ({ line, from, to }) =>
    `Il file è prima ${from} e alla riga ${line} ${to}. Salvalo di nuovo in una sola codifica.`,
  NO_HEADER: () => 'Il file è vuoto: manca la riga con i nomi delle colonne.',
  INVALID_SEPARATOR: () => 'Un separatore è un solo carattere, né virgolette né fine riga.',
  NUL_IN_HEADER: ({ line }) =>
    `La riga ${line} ha un carattere NUL: non è un testo, oppure è UTF-16 senza indicatore all'inizio.`,
  UNCLOSED_QUOTE: ({ line, limit }) =>
    `Le virgolette aperte alla riga ${line} non si chiudono, né prima della fine del file né entro ${limit} caratteri.`,
  NOT_A_LIST: ({ line, column }) =>
    `Alla riga ${line}, colonna ${column}, il file non è né un array JSON né un oggetto JSON per riga.`,
  MISSING_COLUMN: ({ needed, found }) =>
    `Manca una colonna per ${needed.join(' o ')}. Ci sono: ${listed(found)}. Scegli quale sia; la prima riga è quella con i nomi?`,
  DUPLICATE_COLUMN: ({ field, columns }) =>
    `${listed(columns)} sarebbero tutte ${field}. Lasciane letta una sola.`,
  MAPPED_COLUMN_MISSING: ({ column, found }) => `Manca la colonna "${column}". Ci sono: ${listed(found)}.`,
  UNKNOWN_FIELD: ({ column, field }) => `"${column}" non può essere "${field}": questo campo non esiste.`,
  INVALID_JSON: ({ line, column }) => `Alla riga ${line}, colonna ${column}, questo non è JSON valido.`,
  NOT_AN_OBJECT: ({ line, column }) => `Alla riga ${line}, colonna ${column}, ci vuole un oggetto.`,
  DUPLICATE_NAME: ({ line, column }) =>
    `Nell'oggetto alla riga ${line}, colonna ${column}, un nome compare due volte.`,
  ROW_TOO_LARGE: ({ line, limit }) => `La riga che comincia alla riga ${line} ha più di ${limit} caratteri.`,
  TEXT_AFTER_QUOTE: ({ line }) =>
    `Alla riga ${line} c'è del testo dopo le virgolette di chiusura. Le virgolette tra virgolette si scrivono doppie.`,
  NUL_CHARACTER: ({ line }) => `La riga che comincia alla riga ${line} ha un carattere NUL.`,
  WRONG_CELL_COUNT: ({ expected, found }) => `La riga ha ${found} celle invece di ${expected}.`,
  UNNAMED_COLUMN: ({ column }) => `La colonna ${column} ha un valore, ma non un nome.`,
  UNKNOWN_COLUMN: ({ column }) => `"${column}" non è noto e non compare nella prima riga.`,
  NOT_A_TEXT: ({ column }) => `"${column}" deve essere un testo tra virgolette.`,
  INVALID_ID: ({ field }) => `${field} non è un numero intero da 1 in su, scritto con sole cifre.`,
  AMBIGUOUS_USER: () => 'Username e UserID insieme: non è né una registrazione né una reimpostazione.',
  UNRECOGNISED_USER: () => 'Manca un Username, per una registrazione, o uno UserID, per una reimpostazione.',
  NOT_FOR_RESET: ({ field }) => `${field} non può stare in una reimpostazione.`,
  NO_PRINCIPAL: () => "Nulla dice a quale anagrafica appartiene l'utente.",
  PASSWORDS_DIFFER: () => 'Password e ConfirmPassword sono diverse.',
};

/** Returns the Italian message of an error in a file or a row. The importer itself has the English messages. */
function faultInItalian({ code, params }: FileError): string {
  const say = sentences[code] as (params: FileError['params']) => string;
  return say(params);
}

const rowSentences: Readonly<Record<RowErrorCode, string>> = {
  RESET_IN_IMPORT:
    'Questo reimposterebbe una password, e una importazione registra soltanto utenti. Reimpostala nella pagina della sua anagrafica, o molte insieme con "anagrafe reset".',
  USER_NOT_FOUND: 'Questo utente non esiste.',
  RECORD_NOT_APPLIED: 'Il record non verrebbe applicato.',
  RESET_WITHOUT_PRINCIPAL: "L'anagrafica di uno UserID si indica con il suo ID o la sua ExternalKey.",
  PRINCIPAL_NOT_INSERTED: "Non è stato possibile inserire l'anagrafica.",
  USERNAME_TAKEN: 'Questo nome utente compare in una riga precedente.',
  EXTERNAL_KEY_TAKEN: "Questa chiave esterna compare in un'altra riga.",
};

/** Returns the Italian message of a row error. An error without a code comes from the service, already in Italian. */
function rowFaultInItalian({ code, fileError, message }: RowError): string {
  if (fileError) return faultInItalian(fileError);
  return code ? rowSentences[code] : message;
}

function listed(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

export const imports: Messages['imports'] = {
  title: 'Importazione',
  intro: 'Registra gli utenti di un file. Non si fa nulla prima che tu abbia visto che cosa succederebbe.',
  choose: {
    title: 'Il file',
    drop: 'Trascina qui un file CSV, JSON o NDJSON',
    button: 'Scegli un file',
    hint: (rows) =>
      `Con una riga di intestazione come Nome utente, Email, Password, Codice cliente. Qui fino a ${rows} righe; per file più grandi c'è la riga di comando:`,
    command: 'npx --no -- anagrafe import utenti.csv',
    commandName: 'il comando',
    reading: 'Lettura del file …',
    failed: 'Questo file non si può leggere',
    tooMany: (rows) =>
      `Ha più di ${rows} righe. Importalo con "anagrafe import", che accetta file di qualsiasi grandezza.`,
    noRows: 'Non contiene alcuna riga.',
    unreadable: "Il browser non ha potuto aprirlo. C'è ancora, e lo puoi leggere?",
  },
  another: 'Un altro file',
  drop: {
    title: 'Lasciare questo file?',
    text: 'Ciò che hai corretto qui e le righe non importate, con le loro password, vanno persi. Se ti servono, scarica prima le righe non importate.',
    action: 'Scegli un altro file',
  },
  rowsOf: (name, rows) => `${name} (righe: ${rows})`,
  columns: {
    title: 'Colonne',
    caption: 'Le colonne del file',
    name: 'Colonna',
    samples: 'Primi valori',
    field: 'È',
    fieldOf: (column) => `Che cosa è ${column}`,
    unnamed: (place) => `Colonna ${place}`,
    notRead: 'non letta',
    hidden: 'nascosto',
    records: 'Il file contiene record interi con i loro utenti: non ci sono colonne da indicare.',
  },
  principal: {
    label: 'Anagrafica delle righe che non ne indicano una',
    by: 'Nota per',
    id: 'ID',
    externalKey: 'Chiave esterna',
    value: 'Il suo ID o la sua chiave',
    hint: 'Lascia vuoto se ogni riga indica la propria.',
    wrong: 'Un ID è un numero intero da 1 in su.',
  },
  principalField: (label) => `Anagrafica: ${label}`,
  fields: {
    UserID: 'ID utente (per reimpostare)',
    Username: 'Nome utente',
    Password: 'Password',
    ConfirmPassword: 'Password, di nuovo',
    PasswordHash: 'Hash della password',
  },
  check: 'Controlla le righe',
  checkAgain: 'Controlla di nuovo',
  checkFailed: 'Non è stato possibile controllare le righe',
  rows: {
    title: 'Righe',
    caption: 'Le righe del file e che cosa non va',
    line: 'Riga',
    faults: 'Che cosa non va',
    fine: 'Va bene',
    surplus: 'Celle in più',
    notChecked: 'cambiata dopo il controllo',
    record: 'Record',
    open: (users) => `Mostra il JSON con i suoi ${users} utenti`,
    at: (place, line) => `${place} (riga ${line})`,
    moreFaults: (count) => `e altri ${count}`,
    only: 'Solo i problemi',
    all: 'Tutte le righe',
    view: 'Quali righe',
    allFine: (rows) => `Righe: ${rows}. Vanno tutte bene.`,
    problems: (faulty, rows) => `Righe con problemi: ${faulty} su ${rows}.`,
    correct: 'Correggile qui e controlla di nuovo, oppure lasciale fuori: potrai scaricarle alla fine.',
    changed: 'Alcune righe sono cambiate. Controllale di nuovo prima di importarle.',
    none: 'Nessuna riga ha problemi.',
    noneHint: 'Importale, oppure guarda tutte le righe.',
    cell: (field, line) => `${field}, riga ${line}`,
    estimate: (seconds) => `Per calcolare gli hash delle password servono circa ${seconds} secondi.`,
  },
  run: (rows, count) => (count === 1 ? 'Importa 1 riga' : `Importa ${rows} righe`),
  sendFailed: 'Non è stato possibile inviare le righe',
  sending: 'Invio delle righe in corso. Tieni aperta la console finché il servizio non le ha ricevute.',
  progress: {
    title: "L'importazione è in corso",
    safe: 'Puoi lasciare questa pagina e tornarci: il servizio continua da solo.',
    jobs: 'Seguila nei Lavori',
  },
  outcome: {
    title: "L'importazione è terminata",
    applied: (rows) => `Righe importate: ${rows}.`,
    failed: (rows) =>
      `Righe non importate: ${rows}. Correggile qui, oppure scaricale con i motivi, correggile e importa quel file.`,
    correct: 'Correggi le righe non importate',
    download: 'Scarica le righe non importate',
  },
  fault: faultInItalian,
  rowFault: rowFaultInItalian,
};

export const jobs: Messages['jobs'] = {
  title: 'Lavori',
  intro: 'Le chiamate inviate per essere eseguite dopo, di tutti i client, dalla più recente.',
  caption: 'Lavori',
  failedOnly: 'Solo con record non applicati',
  columns: {
    job: 'Lavoro',
    client: 'Da',
    state: 'Stato',
    progress: 'Avanzamento',
    failed: 'Non applicati',
    submitted: 'Inviato',
    ended: 'Terminato',
  },
  states: { queued: 'In attesa', running: 'In corso', completed: 'Completato', cancelled: 'Annullato' },
  empty: {
    title: 'Ancora nessun lavoro',
    hint: "Una chiamata inviata con l'intestazione Prefer: respond-async diventa un lavoro. Così anche ogni parte di un'importazione.",
  },
  emptyFailed: {
    title: 'Nessun lavoro con record non applicati',
    hint: 'Mostrali tutti per vedere quelli in cui ogni record è stato applicato.',
  },
  one: (id) => `Lavoro ${id}`,
  all: 'Tutti i lavori',
  progress: 'Avanzamento',
  figures: 'Cifre',
  facts: {
    id: 'ID',
    state: 'Stato',
    operation: 'Che cosa si scrive',
    client: 'Da',
    records: 'Record',
    done: 'Record elaborati',
    failed: 'Non applicati',
    users: 'Utenti',
    usersDone: 'Utenti elaborati',
    rate: 'Utenti al secondo',
    submitted: 'Inviato',
    started: 'Iniziato',
    ended: 'Terminato',
    left: 'Fine prevista',
  },
  cancel: 'Annulla il lavoro',
  cancelTitle: (id) => `Annulla il lavoro ${id}`,
  cancelText:
    "I record non ancora iniziati non saranno applicati. Ciò che è scritto resta, e ciò che è in elaborazione può ancora essere scritto. Non si può riprendere; nel kit di correzione c'è quanto è rimasto fuori.",
  cancelled: 'Il lavoro è stato annullato.',
};

export const overview: Messages['overview'] = {
  title: 'Riepilogo',
  intro: "Quanto c'è, che cosa è in corso e che cosa non è riuscito di recente.",
  figures: {
    label: 'Cifre',
    users: 'Utenti',
    principals: 'Anagrafiche',
    sessions: 'Sessioni di utenti',
    jobs: 'Lavori in corso',
    today: (count) => `${count} oggi`,
    queued: (count) => `${count} in attesa`,
  },
  steps: {
    title: 'Prossimi passi',
    client: {
      title: 'Crea un client API',
      text: 'Ogni programma che chiama il servizio ha le proprie chiavi.',
      action: 'Client API',
    },
    register: {
      title: 'Inserisci la prima anagrafica con un utente',
      text: 'Esegui questo comando in un terminale, o invia lo stesso dal tuo programma.',
      label: 'il comando',
      action: 'Oppure importa un file di utenti',
    },
    read: {
      title: 'Leggi il riferimento',
      text: 'Tutte le chiamate, con esempi da provare.',
      action: 'Riferimento API',
    },
  },
  activity: {
    title: 'Attività',
    span: 'Periodo',
    hours: 'Ultime 24 ore',
    days: 'Ultimi 30 giorni',
    accounts: 'Utenti e anagrafiche',
    calls: 'Chiamate ed errori',
    registered: 'Utenti registrati',
    reset: 'Password reimpostate',
    inserted: 'Anagrafiche inserite',
    answered: 'Chiamate',
    jobs: 'Lavori',
    failed: 'Record non applicati',
    time: 'Ora',
    none: 'In questo periodo non è stato fatto nulla.',
  },
  hashing: {
    title: 'Hash delle password',
    rate: (rate, capacity) => `${rate} di ${capacity} hash al secondo`,
    bar: 'Hash al secondo, su quanti questo nodo ne potrebbe fare',
    running: 'In elaborazione',
    interactive: 'In attesa: chiamate che qualcuno aspetta',
    bulk: 'In attesa: lavori e chiamate grandi',
    node: 'Del nodo che ha risposto.',
  },
  jobs: {
    title: 'Lavori in corso',
    none: 'Nessun lavoro in corso.',
    noneHint: 'Qui appaiono, con il loro avanzamento, le grandi importazioni e le chiamate inviate per dopo.',
    more: (count) => `e altri ${count}`,
  },
  failures: {
    title: 'Ultimi errori',
    caption: 'Gli ultimi record non applicati',
    at: 'Quando',
    operation: 'Chiamata',
    principal: 'Anagrafica',
    reason: 'Motivo',
    none: 'Nessun errore.',
    noneHint: 'Qui appaiono i record rifiutati, con i loro motivi.',
    more: (count) => `e altri ${count}`,
  },
};

export const principals: Messages['principals'] = {
  title: 'Anagrafiche',
  intro: 'I clienti e le aziende che hanno utenti.',
  all: 'Tutte le anagrafiche',
  create: 'Nuova anagrafica',
  createIntro: 'Compila quello che sai: basta un campo.',
  submitCreate: 'Crea',
  created: "L'anagrafica è stata creata. Non ha ancora utenti.",
  search: 'Cerca anagrafiche',
  searchHint: 'Nome, chiave esterna, partita IVA, nome utente',
  count: (count, told) => (count === 1 ? '1 anagrafica' : `${told} anagrafiche`),
  columns: {
    name: 'Nome',
    id: 'ID',
    externalKey: 'Chiave esterna',
    vatnumber: 'Partita IVA',
    users: 'Utenti',
    updated: 'Modificata',
  },
  fields: principalLabels,
  userFields: userLabels,
  states: {
    principal: { active: 'Attiva', disabled: 'Disabilitata' },
    user: { active: 'Attivo', disabled: 'Disabilitato' },
  },
  empty: {
    title: 'Ancora nessuna anagrafica',
    hint: 'Crea qui la prima, importa un file con anagrafiche e utenti, o lascia che un programma ne inserisca molte insieme.',
    action: 'Importa un file',
  },
  notFound: (term) => ({
    title: `Nessun risultato per "${term}"`,
    hint: "Ogni parola deve iniziare una parola dell'anagrafica, o il tutto un nome utente. Prova con meno.",
  }),
  missing: {
    title: 'Questa anagrafica non esiste',
    text: "Nessuna anagrafica ha l'ID che sta nell'indirizzo.",
  },
  details: {
    title: 'Dettagli',
    state: 'Stato',
    id: 'ID',
    users: 'Utenti',
    created: 'Creata',
    updated: 'Modificata',
  },
  users: {
    title: 'Utenti',
    search: 'Cerca utenti',
    searchHint: 'Inizio del nome utente',
    columns: {
      username: 'Nome utente',
      state: 'Stato',
      lastLogin: 'Ultimo accesso',
      passwordChanged: 'Password impostata',
      actions: 'Azioni',
    },
    id: (id) => `ID ${id}`,
    actionsOf: (username) => `Azioni per ${username}`,
    empty: { title: 'Ancora nessun utente', hint: 'Registra il primo: potrà accedere subito.' },
    notFound: { title: 'Nessun utente', hint: 'Nessun nome utente di questa anagrafica inizia così.' },
  },
  register: {
    title: 'Registra un utente',
    username: 'Nome utente',
    optional: (label) => `${label} (opzionale)`,
    submit: 'Registra',
    done: (username) => `${username}: registrazione eseguita`,
  },
  reset: {
    title: (username) => `Una nuova password per ${username}`,
    text: 'La vecchia password non vale più, e tutte le sessioni di questo utente terminano subito.',
    submit: 'Reimposta la password',
    done: (username) => `La password di ${username} è stata reimpostata`,
  },
  password: {
    label: 'Password',
    generate: 'Genera',
    show: 'Mostra la password',
    hide: 'Nascondi la password',
    meter: 'Robustezza della password',
    strength: { weak: 'Debole', fair: 'Discreta', good: 'Buona', strong: 'Ottima' },
    taken: 'Le regole del servizio ammettono questa password.',
  },
  newPassword: {
    once: "La password è mostrata solo adesso. Consegnala all'utente in modo sicuro.",
    username: 'Nome utente',
    password: 'Password',
    done: "L'ho consegnata",
  },
  turn: {
    disabled: {
      action: 'Disabilita',
      title: (name) => `Disabilita ${name}`,
      principal:
        'Nessuno dei suoi utenti potrà più accedere, e tutte le loro sessioni terminano subito. Finché non sarà riabilitata non si possono registrare utenti; le sessioni non torneranno.',
      user: "L'utente non potrà più accedere, e tutte le sue sessioni terminano subito. Riabilitarlo non le fa tornare.",
      done: (name) => `${name}: disabilitazione eseguita.`,
    },
    active: {
      action: 'Abilita',
      title: (name) => `Abilita ${name}`,
      principal:
        'I suoi utenti potranno di nuovo accedere, tranne quelli disabilitati singolarmente. Le sessioni terminate non tornano.',
      user: "L'utente potrà di nuovo accedere con la stessa password, a meno che l'anagrafica sia disabilitata. Le sessioni terminate non tornano.",
      done: (name) => `${name}: abilitazione eseguita.`,
    },
  },
  history: {
    title: 'Cronologia',
    at: 'Quando',
    what: 'Che cosa',
    who: 'Da',
    address: 'Indirizzo',
    withReads: "Anche chi l'ha letta",
    empty: {
      title: 'Ancora niente',
      hint: 'Qui appare ciò che viene fatto a questa anagrafica e ai suoi utenti.',
    },
  },
};

export const webhooks: Messages['webhooks'] = {
  title: 'Webhook',
  intro: 'I programmi avvisati di ciò che accade, con un messaggio firmato al loro indirizzo.',
  caption: 'Webhook',
  create: 'Nuovo webhook',
  columns: {
    url: 'Indirizzo',
    state: 'Stato',
    types: 'Avvisato di',
    granularity: 'Un messaggio per',
    created: 'Creato',
    actions: 'Azioni',
  },
  enabled: 'Abilitato',
  disabled: 'Disabilitato',
  allTypes: 'tutto',
  granularity: { user: 'ogni evento', record: 'ogni record', job: 'ogni chiamata e lavoro' },
  empty: {
    title: 'Ancora nessun webhook',
    hint: 'Creane uno, e un tuo programma è avvisato di nuovi utenti, password reimpostate e lavori terminati, senza chiedere.',
    action: 'Crea il primo webhook',
  },
  actionsOf: (url) => `Azioni per ${url}`,
  deliveries: 'Consegne',
  edit: 'Modifica',
  test: 'Invia un messaggio di prova',
  rotate: 'Nuova chiave segreta',
  enable: 'Abilita',
  disable: 'Disabilita',
  remove: 'Elimina',
  form: {
    createTitle: 'Nuovo webhook',
    editTitle: 'Modifica il webhook',
    url: 'Indirizzo',
    urlHint: 'Dove si inviano i messaggi: https, o http nelle reti che ANAGRAFE_WEBHOOK_NETWORKS consente.',
    types: 'Avvisato di',
    typesHint: 'Nessuna scelta: di tutto.',
    granularity: 'Un messaggio per',
    granularityHint: {
      user: 'Ogni evento: 100.000 utenti sono 100.000 messaggi.',
      record: 'Ogni record: tutti i suoi utenti in un messaggio.',
      job: "Ogni chiamata e lavoro terminati, e i webhook disabilitati; nient'altro.",
    },
    submitCreate: 'Crea',
    submitEdit: 'Salva',
  },
  created: 'Il webhook è stato creato',
  secretOnce:
    'La chiave segreta è mostrata solo adesso. Chi riceve ne ha bisogno per sapere che un messaggio viene da qui.',
  secret: 'Chiave segreta',
  stored: "L'ho conservata",
  saved: 'Il webhook è stato modificato.',
  wasEnabled: 'Il webhook è abilitato. Sarà avvisato di tutto ciò che è accaduto nel frattempo.',
  wasDisabled: 'Il webhook è disabilitato. Ciò che accade è conservato finché non sarà abilitato di nuovo.',
  notChanged: 'Il webhook non è stato modificato',
  rotateTitle: 'Una nuova chiave segreta per il webhook',
  rotateText: "Per un po' i messaggi sono firmati con entrambe le chiavi, così chi riceve può aggiornarsi.",
  hours: 'Ore per cui firma anche la vecchia chiave',
  hoursHint: 'Con 0 termina subito.',
  rotateSubmit: 'Crea una nuova chiave',
  oldEnds: (moment) => `La vecchia chiave termina: ${moment}`,
  removeTitle: 'Elimina il webhook',
  removeText: (url) =>
    `${url} non sarà più avvisato di nulla, e ciò che attende di essere inviato va perso. Non si può annullare.`,
  removed: 'Il webhook è stato eliminato.',
  testTitle: 'Un messaggio di prova',
  testText: (url) => `Invia subito un messaggio di tipo webhook.test a ${url} e aspetta la risposta.`,
  testSubmit: 'Invia',
  taken: 'Chi riceve lo ha accettato',
  waiting: 'Attende di essere inviato',
  answered: (status) => `Ha risposto ${status}`,
  took: (milliseconds) => `dopo ${milliseconds} ms`,
  one: (id) => `Webhook ${id}`,
  all: 'Tutti i webhook',
  figures: 'Il destinatario',
  list: {
    title: 'Consegne',
    caption: 'Che cosa è stato inviato, e che cosa è tornato',
    at: 'Quando',
    type: 'Che cosa è stato inviato',
    state: 'Stato',
    attempts: 'Tentativi',
    answer: 'Che cosa è tornato',
    actions: 'Azioni',
    failedOnly: 'Solo abbandonati',
    states: { pending: 'In attesa', delivered: 'Consegnato', failed: 'Abbandonato' },
    next: (when) => `prossimo tentativo ${when}`,
    again: 'Invia di nuovo',
    againOf: (id) => `Invia di nuovo ${id}`,
    allAgain: 'Invia di nuovo tutti gli abbandonati',
    sent: (count) => `Inviati di nuovo: ${count}`,
    noneGivenUp: 'Nulla è stato abbandonato: ciò che attende viene ritentato da sé.',
    notSent: 'Non è stato inviato di nuovo',
    whenEnabled: 'Il webhook è disabilitato: sarà inviato quando sarà abilitato.',
    none: 'Non è ancora stato inviato nulla.',
    noneHint: 'I messaggi appaiono qui appena accade qualcosa di cui questo webhook è avvisato.',
    noneFailed: 'Non è stato abbandonato nulla.',
    noneFailedHint: 'Prima, un messaggio che chi riceve non accetta è ritentato per giorni.',
  },
  next: { attempt: 'Prossimo tentativo', now: 'adesso', onceEnabled: 'quando il webhook sarà abilitato' },
  delivery: {
    title: (id) => `Consegna ${id}`,
    type: 'Avvisa di',
    created: 'Preparata',
    attempted: 'Ultimo tentativo',
    forgotten: 'Ciò di cui avvisa non è più conservato.',
    shortened: "È mostrato solo l'inizio. Copiando si prende tutto.",
    noAnswer: 'La risposta non aveva testo.',
    beginning: 'Si conservano solo i primi 1.000 caratteri.',
  },
};
