import type { fieldTexts } from './en-fields.ts';

export const italianFields: typeof fieldTexts = {
  REQUIRED: {
    field: 'Campo obbligatorio.',
    principal: 'Inviare ID oppure ExternalKey.',
    user: 'Inviare ID oppure Username.',
  },
  MORE_ERRORS: 'Altri campi con errori in questo record, non elencati: {count}.',
  UNKNOWN_FIELD: {
    unknown: 'Campo sconosciuto: "{field}".',
    spelling: 'Campo sconosciuto: "{field}". Forse si intendeva "{known}"?',
    more: 'Altri campi sconosciuti in questo oggetto: {count}.',
  },
  WRONG_TYPE: {
    string: 'Deve essere una stringa.',
    array: 'Deve essere un array.',
    object: 'Deve essere un oggetto.',
    boolean: 'Deve essere true o false.',
  },
  INVALID_ID: "L'ID deve essere un numero intero da 1 a 9007199254740991, non una stringa.",
  INVALID_STATE: 'Lo stato deve essere "active" o "disabled".',
  INVALID_SIMILAR: 'Il valore deve essere "allow".',
  INVALID_OPERATION: 'L\'operazione deve essere "register", "reset", "edit", "delete" o "move".',
  NO_USERS: 'Inviare almeno un utente.',
  NOT_PERMITTED: 'Con questo ruolo qui è possibile solo reimpostare le password.',
  AMBIGUOUS_PRINCIPAL: "Indicare l'anagrafica con ID oppure con ExternalKey, non con entrambi.",
  AMBIGUOUS_USER: {
    shape:
      'Inviare Username per registrare un utente oppure ID per reimpostare la password, non entrambi. Per indicare un utente esistente con Username, inviare Operation.',
    named: "Indicare l'utente con ID oppure con Username, non con entrambi.",
    register: 'Inviare Username di un nuovo utente senza ID.',
  },
  UNRECOGNISED_USER: "Manca Username. Per reimpostare la password di un utente esistente, inviare l'ID.",
  DUPLICATE_USER: {
    record: 'Questo utente è ripetuto nel record. Inviarlo una sola volta.',
    call: 'Un record precedente della stessa richiesta sposta o elimina questo utente.',
  },
  EMPTY_PRINCIPAL: 'Indicare almeno un campo tra {fields}.',
  TEXT_EMPTY: {
    optional: 'Non può essere vuoto. Inviare null oppure omettere il campo.',
    required: 'Non può essere vuoto.',
  },
  TEXT_TOO_LONG: 'Può avere al massimo {max} caratteri.',
  TEXT_CHARACTERS: 'Non può contenere caratteri di controllo o invisibili.',
  USERNAME_TOO_LONG: 'Il nome utente può avere al massimo {max} caratteri.',
  USERNAME_SPACES:
    'Il nome utente non può iniziare o finire con uno spazio, né contenere due spazi consecutivi.',
  USERNAME_CHARACTERS: 'Il nome utente contiene un carattere non ammesso.',
  USERNAME_DIRECTION:
    'Il nome utente combina caratteri da sinistra a destra e da destra a sinistra in un ordine non ammesso (RFC 5893).',
  EMAIL_INVALID: 'Indirizzo email non valido.',
  EMAIL_TOO_LONG: "L'indirizzo email può avere al massimo {max} caratteri.",
  LANGUAGE_INVALID: 'Non è un codice di lingua (BCP 47), come "it" o "de-CH".',
  ATTRIBUTES_TOO_MANY: 'Gli attributi sono {count}. Il massimo è {max}.',
  ATTRIBUTE_NAME:
    '"{name}" non è un nome valido per un attributo. Usare da 1 a 64 lettere (A-Z), cifre, punti, trattini e trattini bassi.',
  ATTRIBUTE_TOO_LONG: 'Il valore di un attributo può avere al massimo {max} byte in UTF-8.',
  TAGS_TOO_MANY: 'Le etichette sono {count}. Il massimo è {max}.',
  TAG_INVALID:
    '"{tag}" non è un\'etichetta valida. Usare da 1 a {max} lettere (a-z), cifre, punti, trattini e trattini bassi, con una lettera o una cifra all\'inizio.',
  TAG_NOT_PERMITTED:
    "A un'anagrafica si possono dare le etichette {tags}, non altre, e non si possono togliere.",
  PASSWORD_TOO_SHORT: 'La password deve avere almeno {min} caratteri.',
  PASSWORD_TOO_LONG: 'La password può avere al massimo {max} caratteri.',
  PASSWORD_CHARACTERS: 'La password contiene un carattere di controllo o un altro carattere non ammesso.',
  PASSWORD_COMMON: "Questa password è troppo comune. Sceglierne un'altra.",
  PASSWORD_IS_USERNAME: 'La password deve essere diversa dal nome utente.',
  PASSWORD_IS_EMAIL: "La password non può essere l'indirizzo email né la parte che precede la @.",
  PASSWORD_MISMATCH: 'Password e conferma password non coincidono.',
  PASSWORD_BESIDE_HASH: 'Inviare PasswordHash oppure Password e ConfirmPassword, non entrambi.',
  PASSWORD_HASH_INVALID:
    'Hash della password non supportato o non valido. Formati supportati: argon2id, argon2i, bcrypt, PBKDF2 (PHC, passlib, Django) e ASP.NET Core Identity.',
  PASSWORD_HASH_COST: {
    memory: 'Questo hash {algorithm} usa {found} KiB di memoria. Valori ammessi: da {min} a {max} KiB.',
    passes:
      'Questo hash {algorithm} usa {found} passaggi. Con la memoria che usa, sono ammessi da {min} a {max} passaggi.',
    parallelism: 'Questo hash {algorithm} ha un parallelismo di {found}. Valori ammessi: da {min} a {max}.',
    cost: 'Questo hash {algorithm} ha un costo di {found}. Valori ammessi: da {min} a {max}.',
    iterations:
      'Questo hash {algorithm} ha {found} iterazioni. Valori ammessi con la lunghezza della sua chiave: da {min} a {max}.',
  },
  PASSWORD_REUSED: "La password è una delle ultime {count} dell'utente. Sceglierne un'altra.",
  INVALID_INVITE: 'Deve essere "email" o "code".',
  INVITE_BESIDE_PASSWORD:
    'Un utente invitato sceglie la propria password. Inviare Invite oppure {names}, non entrambi.',
  CANNOT_INVITE: {
    noMail: 'Questo servizio non invia email. Inviare Invite: "code".',
    noAnswer: `Il codice non sarebbe nella risposta. Inviare "Prefer: return=representation", oppure inviare la chiamata in background e leggere i codici da "invitations" dell'elaborazione.`,
    noAddress: 'L\'utente non ha un indirizzo email. Inviare Email oppure Invite: "code".',
    noAddresses:
      'Gli utenti invitati dell\'anagrafica senza indirizzo email sono {count}, ad esempio quello con ID {id}. Inviare Invite: "code" per questi utenti.',
    disabled: 'Questo utente è disabilitato. Abilitarlo prima di invitarlo.',
  },
  CURRENT_PASSWORD_WRONG: 'La password attuale non è corretta.',
};
