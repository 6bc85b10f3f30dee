import classes from './shell.module.css';

/** The sign of the service; beside its name. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg className={classes.mark} width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#3b5bdb" />
      <path
        d="M8 24 16 7l8 17M11.3 17.5h9.4"
        fill="none"
        stroke="#fff"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
