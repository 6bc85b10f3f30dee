import type { ComponentProps } from 'react';
import classes from './icon.module.css';

/** SVG paths on a 24 × 24 grid. An icon package would be a far larger dependency than these lines. */
const paths = {
  overview: 'M4 20V11M10 20V4M16 20v-6M21 20H3',
  people:
    'M12.5 8a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0ZM2.5 20c0-4 3-6 6.5-6s6.5 2 6.5 6M16 4.8a3.5 3.5 0 0 1 0 6.4M18 14.5c2.2.8 3.5 2.7 3.5 5.5',
  search: 'M17 10.5a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0ZM15.2 15.2 20.5 20.5',
  dice: 'M4 4h16v16H4zM8.5 8.5v.1M15.5 8.5v.1M12 12v.1M8.5 15.5v.1M15.5 15.5v.1',
  key: 'M12 8a4 4 0 1 1-8 0 4 4 0 0 1 8 0ZM11 11l9 9M17 17l2-2M14 14l2-2',
  upload: 'M12 15V4M7 9l5-5 5 5M4 15v5h16v-5',
  download: 'M12 4v11M7 10l5 5 5-5M4 15v5h16v-5',
  jobs: 'M4 7l8-4 8 4-8 4-8-4ZM4 12l8 4 8-4M4 17l8 4 8-4',
  calls: 'M4 8h14M14 4l4 4-4 4M20 16H6M10 12l-4 4 4 4',
  webhooks: 'M4 20a16 16 0 0 1 16-16M4 20l6-1M4 20l1-6M15 15a3 3 0 1 0 4 4 3 3 0 0 0-4-4Z',
  mail: 'M3 5h18v14H3zM3 7l9 6 9-6',
  audit: 'M6 3h9l4 4v14H6zM9 11h7M9 15h7M14 3v5h5',
  events: 'M13 3 5 14h6l-1 7 9-12h-6l1-6Z',
  plus: 'M12 5v14M5 12h14',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'm5 12.5 4.5 4.5L19 7',
  warning: 'M12 4 2.5 20h19L12 4ZM12 10v4.5M12 17.2v.1',
  info: 'M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0ZM12 11v5M12 7.8v.1',
  retry: 'M20 5v5h-5M19.5 10A8 8 0 1 0 20 14',
  history: 'M4 5v5h5M4.5 10A8 8 0 1 1 4 14M12 8v4.5l3 2',
  sync: 'M4 9a8 8 0 0 1 14.5-2.5L20 8M20 4v4h-4M20 15a8 8 0 0 1-14.5 2.5L4 16M4 20v-4h4',
  leave: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  book: 'M12 6c-2-1.5-5-2-8-2v14c3 0 6 .5 8 2 2-1.5 5-2 8-2V4c-3 0-6 .5-8 2ZM12 6v14',
  sun: 'M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0ZM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z',
  screen: 'M3 5h18v11H3zM9 20h6M12 16v4',
  globe: 'M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0ZM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18',
  first: 'M17 6l-6 6 6 6M7 6v12',
  previous: 'M15 6l-6 6 6 6',
  next: 'M9 6l6 6-6 6',
  last: 'M7 6l6 6-6 6M17 6v12',
  close: 'M6 6l12 12M18 6 6 18',
  user: 'M16 8a4 4 0 1 1-8 0 4 4 0 0 1 8 0ZM4.5 20.5c0-4 3.4-6.5 7.5-6.5s7.5 2.5 7.5 6.5',
  more: 'M5 12h.1M12 12h.1M19 12h.1',
} as const;

export type IconName = keyof typeof paths;

/** An icon that is hidden from screen readers, because the text beside it says the same. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 3 : 1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}

interface IconButtonProps extends ComponentProps<'button'> {
  readonly icon: IconName;
  readonly label: string;
  readonly size?: number;
  readonly isOutlined?: boolean;
}

/** A button with an icon. It has no loading state, so that it costs far less than the one of Mantine. */
export function IconButton(props: IconButtonProps) {
  const { icon, label, size = 18, isOutlined = false, className = '', ...button } = props;
  return (
    <button
      type="button"
      className={`${classes.button} ${className}`}
      aria-label={label}
      title={label}
      data-outlined={isOutlined || undefined}
      {...button}
    >
      <Icon name={icon} size={size} />
    </button>
  );
}
