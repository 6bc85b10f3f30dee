import type {
  CreateOperator,
  InvitedOperator,
  Operator,
  OperatorChange,
  OperatorSession,
  ResetOperator,
} from './api.gen.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';

/** Operators: people who sign in to the console. */
export class Operators {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists all operators in order of creation, including disabled ones. */
  async list(options?: CallOptions): Promise<Operator[]> {
    return (await this.#transport.page('operators', {}, options)).records;
  }

  /**
   * Creates an operator. Only this answer contains the `Code` for its password. The call is retried only if the service
   * did not start it: if the answer is lost, find the operator with `list` and reset it.
   */
  create(operator: CreateOperator, options?: CallOptions): Promise<InvitedOperator> {
    return this.#transport.record('createOperator', { body: operator }, options);
  }

  /** Changes the given fields of an operator. The state `disabled` ends its sessions. */
  change(id: number, change: OperatorChange, options?: CallOptions): Promise<Operator> {
    return this.#transport.record('changeOperator', { path: { id }, body: change }, options);
  }

  /** Removes the password and the second factor of an operator. Only this answer contains its new `Code`. */
  reset(id: number, body: ResetOperator = {}, options?: CallOptions): Promise<InvitedOperator> {
    return this.#transport.record('resetOperator', { path: { id }, body }, options);
  }

  /** Lists the valid sessions of an operator, the most recently used first. */
  async sessions(id: number, options?: CallOptions): Promise<OperatorSession[]> {
    return (await this.#transport.page('operatorSessions', { path: { id } }, options)).records;
  }

  async endSession(id: number, session: string, options?: CallOptions): Promise<void> {
    await this.#transport.send('endOperatorSession', { path: { id, session } }, options);
  }

  /** Ends all sessions of an operator and returns how many were valid. */
  async endSessions(id: number, options?: CallOptions): Promise<number> {
    return (await this.#transport.record('endOperatorSessions', { path: { id } }, options)).Ended;
  }
}
