/** For people, in the two units that matter: `4 min 42 s`. */
export function inUnits(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [days, hours, minutes] = [86_400, 3600, 60].map((unit) => Math.floor(whole / unit)) as [
    number,
    number,
    number,
  ];
  if (days > 0) return `${days} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}
