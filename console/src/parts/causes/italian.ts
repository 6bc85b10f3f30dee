import type { Cause } from './cause.ts';
import type { Advice, Words } from './english.ts';

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

export const italian: Words = {
  causes,
  byHand: 'A mano',
  clientRevoked: 'Il suo client è stato revocato',
  clientLostAdmin: 'Il suo client ha perso il permesso admin',
  answered: (status) => `Chi riceve ha risposto ${status}`,
  unknown: (why) => (why === '' ? causes.other.what : `${causes.other.what}: ${why}`),
};
