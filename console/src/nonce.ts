/** What the policy of this page asks of a style that is made in it: the service writes it into the page. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

/** Where the lock on scrolling behind a dialog, which Mantine brings along, looks for it. */
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
