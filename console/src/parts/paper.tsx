import { Paper as Sheet } from '@mantine/core';
import type { ReactNode } from 'react';

/** What a table lies on. */
export function Paper({ children }: { children: ReactNode }) {
  return (
    <Sheet withBorder style={{ overflow: 'hidden' }}>
      {children}
    </Sheet>
  );
}
