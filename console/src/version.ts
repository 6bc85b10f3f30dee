declare const __VERSION__: string;

/** Of the service that this console was built beside; Vite puts it in. */
export const version = __VERSION__;
