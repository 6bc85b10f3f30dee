/** Of lists that grow without an end only so many of the newest are listed: what lies further back is found by its ID. */
export const newestListed = 10_000;
