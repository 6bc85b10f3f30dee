import { Component, type ReactNode } from 'react';
import { Failure } from './failure.tsx';

/** A page that breaks, or that is gone since the service was upgraded, does not take the others along. */
export class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    return error ? <Failure error={error} onRetry={() => location.reload()} /> : this.props.children;
  }
}
