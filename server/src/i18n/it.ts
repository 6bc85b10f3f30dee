import type { Sentences } from '../lib/error-codes.ts';

export const italian: Sentences = {
  INVALID_JSON: {
    syntax: 'Il corpo non è JSON valido: si interrompe o è errato al carattere {offset}, contando da 0.',
    empty: 'Il corpo è vuoto; questa chiamata accetta JSON.',
    utf8: 'Il corpo non è UTF-8 valido.',
    duplicate: 'Il campo in {at} compare due volte nello stesso oggetto; inviarlo una volta sola.',
    surrogate: 'Il testo in {at} contiene metà di una coppia surrogata, che non è un carattere.',
    number: 'Il numero in {at} è troppo grande per essere letto.',
  },
  INVALID_BODY: {
    array: 'Il corpo deve essere un array JSON di record.',
    empty: "L'array è vuoto; inviare almeno un record.",
    element: "L'elemento [{position}] dell'array non è un oggetto; ogni elemento deve essere un record.",
    object: 'Il corpo deve essere un oggetto JSON con i parametri della chiamata.',
  },
  INVALID_PARAMETER: {
    number: '"{name}" accetta un numero intero da {min} a {max}.',
    text: '"{name}" accetta un testo da 1 a {max} caratteri.',
    texts: '"{name}" accetta un elenco da 1 a {count} testi da 1 a {max} caratteri.',
    date: '"{name}" accetta una data come 2026-01-31 o 2026-01-31T08:00:00Z.',
    address: '"{name}" accetta un indirizzo IP, come 203.0.113.7 o 2001:db8::7.',
    flag: '"{name}" accetta true o false.',
    url: '"{name}" accetta un indirizzo http o https senza nome utente, password o frammento.',
    choice: '"{name}" accetta {takes}.',
    scopes: '"{name}" accetta un elenco di uno o più tra {known}.',
    networks: '"{name}" accetta un elenco di al massimo {max} indirizzi o reti, come 10.0.0.0/8.',
    beyond:
      '"{name}" va oltre l\'ultimo evento di questo archivio: è stato letto altrove, o prima del ripristino di un backup.',
    after: '"{name}" accetta l\'id di un evento, come 1042.0.',
    key: '"{name}" accetta da 1 a {max} caratteri ASCII visibili, e va inviata una volta sola.',
    unknown: '"{name}" non è un parametro di questa chiamata.',
    spelling: '"{name}" non è un parametro di questa chiamata; si intendeva "{meant}"?',
  },
  INVALID_REQUEST: 'Questa non è una richiesta HTTP ben formata.',
  REQUEST_TIMEOUT: 'La richiesta non è arrivata in tempo.',
  HEADERS_TOO_LARGE: 'Le intestazioni della richiesta sono troppo grandi.',
  UNAUTHENTICATED: {
    missing:
      "Serve una credenziale: inviare SyncPublicKey e SyncSecretKey, oppure Authorization: Bearer <public>.<secret>, oppure l'AccessToken ottenuto con il login.",
    wrong:
      'La credenziale non è valida: è sconosciuta, scaduta o revocata, o non può essere usata da questo indirizzo.',
    host: "Un client riconosciuto dall'indirizzo deve chiamare il servizio con un indirizzo IP, come localhost, o con un nome elencato in ANAGRAFE_ALLOWED_HOSTS.",
    several: 'Sono state inviate più credenziali; inviarne una sola.',
    token:
      "L'access token non è una credenziale valida: è sconosciuto o scaduto, o la sua sessione è terminata. Accedere di nuovo, o rinnovarlo.",
    refresh:
      'Il refresh token è sconosciuto, scaduto o già usato, o la sua sessione è terminata; accedere di nuovo.',
    login: "Il nome utente o la password non sono corretti, o l'utenza è disabilitata.",
    console: 'La sessione della console è terminata; accedere di nuovo.',
    user: "Questa chiamata è per gli utenti che hanno effettuato l'accesso: inviare l'AccessToken ottenuto con il login.",
    closed:
      'Non esiste ancora alcun client API, e senza di esso sono servite solo le chiamate dirette da questa macchina. Crearne uno con: npx --no -- anagrafe client create --name erp',
  },
  FORBIDDEN: {
    address:
      'Solo un client API può indicare l\'indirizzo di un utente: inviare la sua credenziale con la chiamata, o omettere "Address".',
    scope: "Questa credenziale non ha l'ambito {scope}, necessario per questa chiamata.",
    page: "L'accesso alla console è usato solo dalle pagine della console stessa.",
    owner:
      "Il client di questo webhook è revocato o non ha l'ambito admin. Assegnargli l'ambito, o creare il webhook con un altro client.",
    plainly:
      "Un utente che ha effettuato l'accesso invia irs/update senza Idempotency-Key, Prefer: respond-async e dryRun, e irs/list senza Search.",
    user: "Un utente che ha effettuato l'accesso può reimpostare la propria password (irs/update, con CurrentPassword), leggere la propria anagrafica (irs/list) e uscire; nient'altro.",
  },
  NOT_FOUND: "A questo percorso non c'è nulla; /docs elenca tutte le chiamate.",
  METHOD_NOT_ALLOWED: 'Questo percorso accetta {allow}.',
  UNSUPPORTED_MEDIA_TYPE: 'Inviare il corpo come Content-Type: application/json, in UTF-8 e non compresso.',
  BODY_TOO_LARGE: {
    bytes: 'Il corpo supera {bytes} byte; inviarlo in più chiamate.',
    deep: 'Il corpo è annidato oltre {depth} livelli, e nessun record lo è.',
    values: 'Il corpo contiene più di {values} valori; inviarlo in più chiamate.',
    names: 'Il corpo ha campi con più nomi diversi di quanti ne abbiano i record.',
  },
  BATCH_TOO_LARGE: {
    answered:
      'La chiamata contiene più di {records} record o {users} utenti. Inviarla con "Prefer: respond-async", che accetta fino a {jobUsers} utenti come lavoro, oppure in più chiamate.',
    job: 'La chiamata contiene più di {records} record o {users} utenti, il massimo per un lavoro; inviarla in più chiamate.',
  },
  PARTIALLY_APPLIED: {
    done: 'Record applicati: {applied} su {total}; result.records dice quali no, e perché.',
    dry: 'Record che verrebbero applicati: {applied} su {total}; result.records dice quali no, e perché.',
  },
  NOTHING_APPLIED: {
    done: 'Nessun record è stato applicato; result.records dice perché.',
    dry: 'Nessun record verrebbe applicato; result.records dice perché.',
  },
  JOB_NOT_FOUND:
    'Non esiste un lavoro con questo ID, o non è vostro, o è finito da troppo tempo per essere conservato.',
  CALL_NOT_FOUND:
    'Nessuna chiamata con questo ID a cui si sia risposto subito, oppure è terminata da troppo tempo per essere conservata.',
  WEBHOOK_NOT_FOUND: 'Non esiste questo endpoint, o non gli è stato inviato questo messaggio.',
  INVALID_CLIENT: {
    name: 'Un client richiede un nome di una sola riga.',
    networks: "Un client riconosciuto dall'indirizzo richiede almeno una rete.",
    everyone:
      "Le reti di un client riconosciuto dall'indirizzo devono coprire al massimo 1/128 di tutti gli indirizzi: di più farebbe entrare chiunque.",
  },
  CLIENT_ADDRESS_TAKEN: 'Un altro client è già riconosciuto da un indirizzo di queste reti.',
  CLIENT_NOT_FOUND: 'Nessun client attivo ha questa chiave pubblica; GET /admin/v1/clients li elenca tutti.',
  IDEMPOTENCY_IN_PROGRESS:
    'Una chiamata con questa Idempotency-Key è in corso, o è stata interrotta un momento fa; inviarla di nuovo tra {seconds} secondi per averne la risposta.',
  IDEMPOTENCY_KEY_REUSED:
    'Questa Idempotency-Key è stata inviata con un altro corpo o a un altro percorso; ripetere la stessa chiamata o usare una chiave nuova.',
  RATE_LIMITED: {
    calls: 'Troppe chiamate; inviare la prossima tra {seconds} secondi.',
    loginThrottle: 'Troppe password errate; riprovare tra {seconds} secondi.',
  },
  OVERLOADED:
    'Il servizio ha più lavoro di quanto possa svolgere in tempo; nulla è stato applicato. Ripetere la chiamata tra {seconds} secondi.',
  UNAVAILABLE:
    'Il database non risponde; nulla è stato applicato. Ripetere la chiamata tra {seconds} secondi.',
  INTERNAL:
    "Si è verificato un errore nel servizio. I dettagli sono nel suo log, con l'identificativo di richiesta {request}.",

  INVALID_RECORD: 'Il record contiene errori; nulla di esso è stato applicato.',
  INVALID_USERS: 'Gli utenti del record contengono errori; nulla di esso è stato applicato.',
  PRINCIPAL_NOT_FOUND: {
    id: "Non esiste un'anagrafica con questo ID.",
    key: "Non esiste un'anagrafica con questa chiave esterna.",
  },
  PRINCIPAL_DISABLED: 'Questa anagrafica è disabilitata e non riceve nuovi utenti: prima va riabilitata.',
  USER_NOT_FOUND: 'Questa anagrafica non ha un utente con questo ID.',
  USERNAME_TAKEN: {
    stored: 'Questo nome utente è già in uso.',
    call: 'Questo nome utente compare già nella stessa chiamata.',
  },
  EXTERNAL_KEY_TAKEN: {
    stored: "Questa chiave esterna appartiene all'anagrafica con ID {id}.",
    call: 'Questa chiave esterna compare in un record precedente della stessa chiamata.',
  },
  OUTCOME_UNKNOWN:
    'La connessione al database è caduta mentre il record veniva scritto. Una chiamata con Idempotency-Key si può ripetere con la stessa chiave; altrimenti rileggere il record prima di inviarlo di nuovo.',
  NOT_APPLIED:
    'Il database non ha accettato il record; nulla di esso è stato applicato. Inviarlo di nuovo più tardi.',
  RECORD_FAILED:
    'Si è verificato un errore nel servizio durante la scrittura del record; nulla di esso è stato applicato. I dettagli sono nel log.',
  CANCELLED:
    'Il lavoro è stato annullato prima che questo record fosse iniziato; nulla di esso è stato applicato.',

  REQUIRED: 'Questo campo è obbligatorio.',
  MORE_ERRORS: 'Altri {count} campi di questo record hanno errori; non sono elencati.',
  UNKNOWN_FIELD: {
    unknown: '"{field}" non è un campo di questo oggetto.',
    spelling: '"{field}" non è un campo di questo oggetto; si intendeva "{known}"?',
    more: 'Questo oggetto ha altri {count} campi sconosciuti.',
  },
  WRONG_TYPE: {
    string: 'Deve essere una stringa.',
    array: 'Deve essere un array.',
    object: 'Deve essere un oggetto.',
  },
  INVALID_ID: 'Un ID è un numero intero da 1 a 9007199254740991, non una stringa.',
  INVALID_STATE: 'Uno stato è "active" oppure "disabled".',
  NO_USERS: 'Inviare almeno un utente.',
  AMBIGUOUS_PRINCIPAL: "Un'anagrafica si indica con ID oppure con ExternalKey; inviare uno solo dei due.",
  AMBIGUOUS_USER:
    'Un utente con Username è una registrazione, uno con ID una reimpostazione della password; inviare uno solo dei due.',
  UNRECOGNISED_USER:
    'Un utente richiede Username, per essere registrato, oppure ID, per reimpostarne la password.',
  DUPLICATE_USER: 'Lo stesso utente compare due volte in questo record.',
  EMPTY_PRINCIPAL: "Un'anagrafica richiede almeno uno tra {fields}.",
  TEXT_EMPTY: {
    optional: 'Non deve essere vuoto; inviare null o omettere il campo.',
    required: 'Non deve essere vuoto.',
  },
  TEXT_TOO_LONG: 'Può avere al massimo {max} caratteri.',
  TEXT_CHARACTERS: 'Contiene un carattere di controllo o invisibile.',
  USERNAME_TOO_LONG: 'Un nome utente può avere al massimo {max} caratteri.',
  USERNAME_SPACES:
    'Un nome utente non può iniziare o finire con uno spazio, né contenere due spazi di seguito.',
  USERNAME_CHARACTERS: 'Questo nome utente contiene un carattere non ammesso nei nomi utente.',
  USERNAME_DIRECTION:
    'Questo nome utente mescola caratteri da sinistra a destra e da destra a sinistra in un modo che non si può mostrare con sicurezza.',
  EMAIL_INVALID: 'Questo non è un indirizzo email.',
  EMAIL_TOO_LONG: 'Un indirizzo email può avere al massimo {max} caratteri.',
  PASSWORD_TOO_SHORT: 'Una password deve avere almeno {min} caratteri.',
  PASSWORD_TOO_LONG: 'Una password può avere al massimo {max} caratteri.',
  PASSWORD_CHARACTERS: 'Questa password contiene un carattere di controllo o non in uso.',
  PASSWORD_COMMON: 'Questa password è tra le più usate e verrebbe indovinata subito.',
  PASSWORD_IS_USERNAME: 'La password non deve essere il nome utente.',
  PASSWORD_IS_EMAIL: "La password non deve essere l'indirizzo email né la parte prima della @.",
  PASSWORD_MISMATCH: 'ConfirmPassword è diversa da Password.',
  PASSWORD_BESIDE_HASH: 'PasswordHash sostituisce Password e ConfirmPassword; inviare uno o le altre.',
  PASSWORD_HASH_INVALID:
    'Questo non è un hash di password di una forma accettata: argon2id, argon2i, bcrypt, PBKDF2 (PHC, passlib, Django) o ASP.NET Core Identity, senza nulla prima o dopo.',
  PASSWORD_HASH_COST: {
    memory: 'Questo hash {algorithm} usa {found} KiB di memoria; sono ammessi da {min} a {max} KiB.',
    passes: 'Questo hash {algorithm} fa {found} passaggi; con la sua memoria sono ammessi da {min} a {max}.',
    parallelism: 'Questo hash {algorithm} ha un parallelismo di {found}; è ammesso da {min} a {max}.',
    cost: 'Questo hash {algorithm} ha un costo di {found}; è ammesso da {min} a {max}.',
    iterations:
      'Questo hash {algorithm} ha {found} iterazioni; con la lunghezza della sua chiave sono ammesse da {min} a {max}.',
  },
  CURRENT_PASSWORD_WRONG: 'Questa non è la password attuale.',

  TAKEN_AS_JOB: 'La chiamata è stata accettata come lavoro {id}; GET {location} dice come procede.',
};
