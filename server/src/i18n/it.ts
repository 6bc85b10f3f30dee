import type { english } from './en.ts';
import { italianFields } from './it-fields.ts';

export const italian: typeof english = {
  INVALID_JSON: {
    syntax:
      'Il corpo della richiesta non è JSON valido: errore di sintassi o fine inattesa al carattere {offset}, contando da 0.',
    empty: 'Il corpo della richiesta è vuoto. Inviare un corpo in formato JSON.',
    utf8: 'Il corpo della richiesta non è UTF-8 valido. Inviarlo in UTF-8.',
    duplicate: 'Il campo in {at} è ripetuto nello stesso oggetto. Inviarlo una sola volta.',
    surrogate: 'La stringa in {at} contiene un surrogato isolato, che non è un carattere valido. Rimuoverlo.',
    number: 'Il numero in {at} supera il massimo consentito.',
  },
  INVALID_BODY: {
    array: 'Il corpo della richiesta deve essere un array JSON di record.',
    empty: "L'array è vuoto. Inviare almeno un record.",
    element: "L'elemento [{position}] dell'array non è un oggetto. Ogni elemento deve essere un record.",
    object: 'Il corpo della richiesta deve essere un oggetto JSON con i parametri.',
  },
  INVALID_PARAMETER: {
    number: '"{name}" deve essere un numero intero da {min} a {max}.',
    text: '"{name}" deve essere una stringa da 1 a {max} caratteri.',
    texts: '"{name}" deve essere un elenco da 1 a {count} stringhe, ciascuna da 1 a {max} caratteri.',
    date: '"{name}" deve essere una data, ad esempio 2026-01-31 o 2026-01-31T08:00:00Z.',
    address: '"{name}" deve essere un indirizzo IP, ad esempio 203.0.113.7 o 2001:db8::7.',
    flag: '"{name}" deve essere true o false.',
    url: '"{name}" deve essere un URL http o https senza nome utente, password o frammento.',
    internalUrl:
      '"{name}" punta a un indirizzo interno, non ammesso. Usare un indirizzo pubblico o aggiungere la rete ad ANAGRAFE_WEBHOOK_NETWORKS.',
    plainUrl:
      '"{name}" deve iniziare con https. http senza TLS è ammesso solo verso le reti elencate in ANAGRAFE_WEBHOOK_NETWORKS.',
    choice: 'Valori ammessi per "{name}": {takes}.',
    scopes: '"{name}" deve essere un elenco con almeno uno di questi valori: {known}.',
    networks:
      '"{name}" deve essere un elenco di al massimo {max} indirizzi IP o reti, ad esempio 10.0.0.0/8.',
    exclusive: '"{name}" e "{other}" non si possono usare insieme. Inviarne uno solo.',
    beyond:
      '"{name}" è successivo all\'ultimo evento: proviene da un altro database o da prima del ripristino di un backup. Ometterlo per leggere dal primo evento.',
    after: '"{name}" deve essere l\'ID di un evento, ad esempio 1042.0.',
    dryRun: '"{name}" si può usare solo con dryRun=true.',
    needs: '"{name}" si può usare solo con {other}.',
    uuid: '"{name}" deve essere un UUID come 0b5c2a5e-1f0e-4b57-9c7b-3a3a6a8f7f10.',
    plan: '"{name}" deve essere il Plan di una simulazione, tra virgolette doppie.',
    key: '"{name}" deve avere da 1 a {max} caratteri ASCII visibili e va inviato una sola volta.',
    unknown: 'Parametro sconosciuto: "{name}".',
    spelling: 'Parametro sconosciuto: "{name}". Forse si intendeva "{meant}"?',
  },
  INVALID_REQUEST: 'La richiesta non è HTTP valido.',
  REQUEST_TIMEOUT: 'La richiesta non è arrivata in tempo. Inviarla di nuovo.',
  HEADERS_TOO_LARGE: 'Le intestazioni della richiesta superano 16 KiB.',
  UNAUTHENTICATED: {
    missing:
      "Autenticazione richiesta. Inviare le intestazioni SyncPublicKey e SyncSecretKey, oppure Authorization: Bearer <public>.<secret>, oppure l'AccessToken di un utente connesso.",
    wrong:
      'Le credenziali non sono valide: sono sconosciute, scadute o revocate, oppure non ammesse da questo indirizzo IP.',
    host: "Un client riconosciuto dall'IP deve chiamare il servizio tramite un indirizzo IP, localhost o un nome elencato in ANAGRAFE_ALLOWED_HOSTS.",
    several: 'La richiesta contiene più credenziali. Inviarne una sola.',
    token:
      "L'access token non è valido: è sconosciuto o scaduto, oppure la sessione è terminata. Rinnovarlo o accedere di nuovo.",
    refresh:
      'Il refresh token non è valido: è sconosciuto, scaduto o già usato, oppure la sessione è terminata. Accedere di nuovo.',
    login: "Nome utente o password errati, oppure l'utente è disabilitato.",
    console: 'La sessione della console è terminata. Accedere di nuovo.',
    operator: "Indirizzo email, password o codice errati, oppure l'operatore è disabilitato.",
    user: "Operazione riservata agli utenti connessi. Inviare l'AccessToken ricevuto con l'accesso.",
    closed:
      "Non esiste ancora un client API, quindi sono ammesse solo le richieste dirette da questo computer, di programmi dell'utente che esegue il servizio o di root. Creare un client: npx --no -- anagrafe client create --name erp",
  },
  FORBIDDEN: {
    address:
      'Solo un client API può inviare "Address". Inviare le credenziali di un client, oppure omettere "Address".',
    scope: 'Questa operazione richiede il permesso {scope}, che queste credenziali non hanno.',
    role: 'Questa operazione richiede il ruolo {role} o uno superiore.',
    operator: 'Questa operazione è per i client API, non per gli operatori.',
    secondFactor: 'Configurare prima il secondo fattore: POST /console/second-factor.',
    limited: 'Questa operazione non è disponibile per i client API e gli operatori limitati da etichette.',
    keys: 'I client API non possono accedere a questa console: ANAGRAFE_CONSOLE_KEYS è false. Accedere come operatore.',
    page: 'La sessione della console può essere usata solo dalle pagine della console.',
    origin:
      'Le pagine di questa origine non possono chiamare il servizio. Quelle autorizzate sono in ANAGRAFE_ALLOWED_ORIGINS.',
    owner:
      'Il client di questo webhook è revocato o non ha il permesso admin. Assegnargli il permesso, oppure creare il webhook con un altro client.',
    run: "L'operazione appartiene a un altro client. Iniziane una propria con un altro UUID.",
    plainly:
      'Un utente connesso non può usare Idempotency-Key, Prefer: respond-async o dryRun in irs/update, né Search in irs/list.',
    mustChange:
      "L'utente deve prima cambiare la propria password: irs/update con CurrentPassword. Le altre richieste sono possibili dopo un nuovo accesso.",
    user: 'Un utente connesso può solo cambiare la propria password (irs/update con CurrentPassword), leggere la propria anagrafica (irs/list), gestire le proprie sessioni e disconnettersi.',
  },
  NOT_FOUND: "Percorso sconosciuto. L'elenco delle operazioni è in /docs.",
  METHOD_NOT_ALLOWED: 'Metodo non ammesso per questo percorso. Usare {allow}.',
  UNSUPPORTED_MEDIA_TYPE: 'Inviare il corpo come Content-Type: application/json, in UTF-8 e non compresso.',
  BODY_TOO_LARGE: {
    bytes: 'Il corpo della richiesta supera {bytes} byte. Suddividerlo in più chiamate.',
    deep: 'Il corpo della richiesta supera il massimo di {depth} livelli di annidamento.',
    values: 'Il corpo della richiesta contiene più di {values} valori. Suddividerlo in più chiamate.',
    names:
      'Il corpo della richiesta contiene troppi nomi di campo diversi. Inviare solo i campi documentati.',
  },
  BATCH_TOO_LARGE: {
    answered:
      'La chiamata contiene più di {records} record o {users} utenti. Inviarla in background con "Prefer: respond-async" (fino a {jobUsers} utenti), oppure suddividerla in più chiamate.',
    job: "La chiamata contiene più di {records} record o {users} utenti, il massimo per un'elaborazione. Suddividerla in più chiamate.",
    undo: "L'operazione ha modificato più di {records} anagrafiche o {users} utenti, il massimo per un'elaborazione. Non può essere annullata.",
    removals:
      'La chiamata disabiliterebbe o eliminerebbe più di {users} utenti, il massimo consentito. Suddividerla in più chiamate.',
    merges:
      'La chiamata sposterebbe più di {users} utenti, il massimo consentito. Suddividerla in più chiamate.',
    invitations:
      "La chiamata inviterebbe più di {users} utenti, il massimo di un'elaborazione. Suddividerla in più chiamate.",
    answeredInvitations:
      'La chiamata inviterebbe più di {users} utenti. Inviarla in background con "Prefer: respond-async" (fino a {jobUsers} utenti), oppure suddividerla in più chiamate.',
    answeredRemovals:
      'La chiamata disabiliterebbe, eliminerebbe o sposterebbe più di {users} utenti. Inviarla in background con "Prefer: respond-async" (fino a {jobUsers} utenti), oppure suddividerla in più chiamate.',
  },
  PARTIALLY_APPLIED: {
    done: 'Record applicati: {applied} su {total}. Gli errori degli altri sono in result.records.',
    dry: 'Record che verrebbero applicati: {applied} su {total}. Gli errori degli altri sono in result.records.',
  },
  NOTHING_APPLIED: {
    done: 'Nessun record applicato. Gli errori sono in result.records.',
    dry: 'Nessun record verrebbe applicato. Gli errori sono in result.records.',
  },
  CODE_INVALID: 'Il codice non è valido: è sconosciuto, scaduto o già usato. Chiederne uno nuovo.',
  NO_MAIL_SERVER: 'Questo servizio non invia email: ANAGRAFE_SMTP_URL non è impostato.',
  PASSWORD_REFUSED:
    'La password non è stata accettata. Vedere result.record.FieldErrors. Il codice è ancora valido.',
  JOB_NOT_ENDED: "L'elaborazione non è terminata. Attendere che termini, oppure annullarla.",
  JOB_NOT_FOUND: 'Elaborazione non trovata. Potrebbe appartenere a un altro client o essere stata eliminata.',
  RUN_NOT_FOUND: 'Nessuna operazione con questo ID. Potrebbe essere stata eliminata.',
  RUN_NOT_ENDED: {
    call: "Una chiamata o un'elaborazione di questa operazione non è terminata. Attenderne la fine o annullarla.",
    undo: "L'operazione è in corso di annullamento. Attendere che termini.",
  },
  RUN_TOO_OLD: 'Questa operazione è troppo vecchia per essere annullata. Vedi UndoableUntil.',
  NOTHING_TO_UNDO: 'Questa operazione non ha modificato nulla.',
  AUDIT_ROW_NOT_FOUND:
    'Nessuna riga del registro attività in questa posizione. Potrebbe essere stata eliminata.',
  CALL_NOT_FOUND: 'Chiamata sincrona non trovata. Potrebbe essere stata eliminata.',
  WEBHOOK_NOT_FOUND: 'Webhook o consegna non trovati.',
  SESSION_NOT_FOUND: 'Nessun utente con questo ID, o la sessione è terminata.',
  INVALID_CLIENT: {
    name: 'Il nome di un client deve essere una sola riga di testo.',
    email: "L'indirizzo email dell'operatore non è valido.",
    operator: 'Il nome di un operatore deve essere una sola riga di testo.',
    networks: "Per un client riconosciuto dall'IP serve almeno una rete.",
    everyone:
      "Le reti di un client riconosciuto dall'IP possono coprire al massimo 1/128 di tutti gli indirizzi. Usare reti più piccole.",
  },
  CLIENT_ADDRESS_TAKEN:
    'Un altro client è già riconosciuto da un indirizzo di queste reti. Usare reti che non si sovrappongono.',
  OPERATOR_EMAIL_TAKEN: 'Un altro operatore ha questo indirizzo email.',
  OPERATOR_NOT_FOUND: "Non c'è nessun operatore o nessuna sessione con questo ID.",
  LAST_ADMINISTRATOR:
    "Questo è l'ultimo operatore attivo con il ruolo admin. Assegnare prima questo ruolo a un altro operatore.",
  CONFIRMATION_REQUIRED:
    "Confermare l'identità con la password o un codice (POST /console/session/confirm) e ripetere la chiamata.",
  SECOND_FACTOR_REQUIRED:
    'La password è corretta. Inviarla di nuovo con il codice del secondo fattore in "Code".',
  CLIENT_NOT_FOUND:
    "Nessun client attivo ha questa chiave pubblica. GET /admin/v1/clients restituisce l'elenco dei client.",
  IDEMPOTENCY_IN_PROGRESS:
    'Una chiamata con questa Idempotency-Key è ancora in corso o si è appena interrotta. Per ottenere la risposta, ripeterla tra {seconds} s.',
  IDEMPOTENCY_KEY_REUSED:
    'Questa Idempotency-Key è già stata usata con un altro corpo o percorso. Ripetere la chiamata originale, oppure usare una nuova chiave.',
  TOO_MANY_REMOVALS: {
    moves:
      'La chiamata sposterebbe in altre anagrafiche {removals} utenti su {users}. Senza un piano il massimo è {allowed}, quindi nulla è stato applicato. Inviarla con dryRun=true, controllare il piano e inviarla di nuovo con If-Match.',
    source:
      "La chiamata sposterebbe in altre anagrafiche {removals} utenti su {users} dell'anagrafica con ID {id}. Senza un piano il massimo è {allowed}, quindi nulla è stato applicato. Inviarla con dryRun=true, controllare il piano e inviarla di nuovo con If-Match.",
    call: 'La chiamata disabiliterebbe o eliminerebbe {removals} utenti su {users}. Senza un piano il massimo è {allowed}, quindi nulla è stato applicato. Inviarla con dryRun=true, controllare il piano e inviarla di nuovo con If-Match.',
    record:
      "La chiamata disabiliterebbe o eliminerebbe {removals} utenti su {users} dell'anagrafica del record [{position}]. Senza un piano il massimo è {allowed}, quindi nulla è stato applicato. Inviare la chiamata con dryRun=true, controllare il piano e inviarla di nuovo con If-Match.",
  },
  RATE_LIMITED: {
    calls: 'Troppe chiamate. Riprovare tra {seconds} s.',
    loginThrottle: 'Troppe password errate. Riprovare tra {seconds} s.',
    codeThrottle: 'Troppi codici errati. Riprovare tra {seconds} s.',
    forgottenThrottle: 'Troppe chiamate per questo account. Riprovare tra {seconds} s.',
    jobs: 'Questo client ha troppe elaborazioni aperte. Possono essere aperte al massimo {jobs}, con {bytes} byte in tutto. Nulla è stato salvato. Riprovare tra {seconds} s, o quando una di esse è terminata.',
    ownExport: "Un'esportazione di questo client è già in corso. Riprovare tra {seconds} s.",
    exports: 'Sono già in corso {count} esportazioni. Riprovare tra {seconds} s.',
  },
  OVERLOADED: 'Il servizio è sovraccarico. Nessuna modifica eseguita. Riprovare tra {seconds} s.',
  UNAVAILABLE: {
    database: 'Il database non è disponibile. Nessuna modifica eseguita. Riprovare tra {seconds} s.',
    conflict:
      'Altre chiamate stanno modificando gli stessi dati. Nessuna modifica eseguita. Riprovare tra {seconds} s.',
    noAnswer: 'Il database non ha risposto. Riprovare tra {seconds} s.',
    masterKey:
      'Questo nodo non ha la chiave principale del database. Nessuna modifica eseguita. Riprovare tra {seconds} s.',
  },
  INTERNAL: 'Errore interno. I dettagli sono nel log del servizio, con ID richiesta {request}.',

  INVALID_RECORD: {
    done: 'Il record contiene errori ed è stato scartato.',
    dry: 'Il record contiene errori e verrebbe scartato.',
  },
  INVALID_USERS: {
    done: 'Gli utenti del record contengono errori. Il record è stato scartato.',
    dry: 'Gli utenti del record contengono errori. Il record verrebbe scartato.',
  },
  RECORD_TOO_LARGE: {
    records:
      "Il record ha più di {users} utenti o supera {mebibytes} MiB. Inviare più record della stessa anagrafica, che vengono applicati nell'ordine di invio.",
    insert:
      "Il record ha più di {users} utenti o supera {mebibytes} MiB. Inserire l'anagrafica con meno utenti e inviare gli altri con irs/update.",
    upsert:
      'Il record ha più di {users} utenti o supera {mebibytes} MiB. Inviare gli utenti in più chiamate, con missing=keep.',
    merge:
      "L'anagrafica in From ha più di {users} utenti. Spostarne prima alcuni, o unire a questa l'altra anagrafica.",
    invitations:
      'Il record inviterebbe più di {users} utenti. Inviare più record con Users, oppure chiamare di nuovo irs/invite quando questi utenti hanno impostato la password.',
    removals:
      'Il record disabiliterebbe o eliminerebbe più di {users} utenti che non contiene. Disabilitarli o eliminarli prima con irs/state o irs/delete, al massimo {users} per record.',
  },
  PRINCIPAL_NOT_FOUND: {
    id: 'Nessuna anagrafica con questo ID.',
    key: 'Nessuna anagrafica con questo codice esterno.',
  },
  PRINCIPAL_DISABLED: 'Questa anagrafica è disabilitata. Riabilitarla prima di registrare utenti.',
  USER_NOT_FOUND: {
    id: 'Questa anagrafica non ha utenti con questo ID.',
    username: 'Questa anagrafica non ha utenti con questo nome utente.',
    movedId: 'Nessun utente con questo ID.',
    movedUsername: 'Nessun utente con questo nome utente.',
  },
  USERNAME_TAKEN: {
    stored: 'Questo nome utente è già in uso.',
    owner: "Questo nome utente appartiene a un utente dell'anagrafica con ID {id}{label}.",
    reset: 'Questa anagrafica ha già un utente con questo nome utente. Si intendeva Operation: "reset"?',
    several: 'Più record della chiamata contengono questo nome utente. Il suo utente non è stato spostato.',
    call: 'Questo nome utente è già presente nella stessa chiamata.',
  },
  EXTERNAL_KEY_TAKEN: {
    stored: "Questo codice esterno appartiene all'anagrafica con ID {id}.",
    hidden: 'Questo codice esterno è già in uso.',
    call: 'Questo codice esterno è già presente in un altro record della stessa chiamata.',
  },
  LOOKS_LIKE_ANOTHER: {
    stored:
      'L\'anagrafica con ID {id}{label} ha lo stesso valore in {field}, o uno che differisce solo per maiuscole, spazi, trattini o zeri iniziali. Per inserire anche questa, inviarla con "Similar": "allow".',
    hidden:
      'Un\'altra anagrafica ha lo stesso valore in {field}, o uno che differisce solo per maiuscole, spazi, trattini o zeri iniziali. Per inserire anche questa, inviarla con "Similar": "allow".',
    call: 'Un record precedente della stessa chiamata{label} ha lo stesso valore in {field}, o uno che differisce solo per maiuscole, spazi, trattini o zeri iniziali. Per inserirle entrambe, inviare questa con "Similar": "allow".',
  },
  SAME_PRINCIPAL:
    "Il record e From indicano la stessa anagrafica. From deve indicare quella che viene unita all'altra.",
  DUPLICATE_PRINCIPAL:
    'Un record precedente della stessa chiamata riguarda la stessa anagrafica. Inviare un solo record per anagrafica.',
  DIFFERS_FROM_STORED: {
    both: 'Il valore salvato è "{stored}", ma è stato inviato "{sent}".',
    sent: 'Il valore salvato è diverso da "{sent}".',
  },
  PLAN_OUTDATED: {
    call: 'Il piano non è più valido: i dati salvati, i record o le opzioni sono cambiati. Nulla è stato applicato. Inviare la chiamata con dryRun=true per ottenere un nuovo piano.',
    record: 'I dati salvati sono cambiati dopo la creazione del piano. Il record non è stato applicato.',
    removals:
      'Dopo il controllo della chiamata sono stati registrati o spostati altri utenti: il record ora disabiliterebbe, eliminerebbe o sposterebbe {removals} utenti invece di {allowed}. Non è stato applicato.',
  },
  OUTCOME_UNKNOWN:
    "La connessione al database si è interrotta durante la scrittura del record, quindi l'esito non è noto. Se la chiamata aveva una Idempotency-Key, ripeterla con la stessa chiave. Altrimenti verificare l'anagrafica prima di inviare di nuovo il record.",
  NOT_APPLIED: {
    database:
      'Il database non era disponibile. Il record non è stato applicato. Inviarlo di nuovo più tardi.',
    conflict:
      'Altre chiamate hanno modificato gli stessi dati a ciascuno dei {attempts} tentativi. Il record non è stato applicato. Inviarlo di nuovo più tardi.',
    earlier:
      'Un record precedente della stessa anagrafica non è stato applicato, o il suo esito è ignoto. Neanche questo record è stato applicato. Inviarlo di nuovo dopo quello.',
  },
  RECORD_FAILED: 'Errore interno. Il record non è stato applicato. I dettagli sono nel log del servizio.',
  CANCELLED: "L'elaborazione è stata annullata prima di questo record. Il record non è stato applicato.",
  ...italianFields,

  TAKEN_AS_JOB: 'Chiamata accettata come elaborazione {id}. GET {location} ne mostra lo stato.',
};
