/** Thrown if work was not completed, because its signal was aborted, the service stopped or the database is down. */
export class Aborted extends Error {}
