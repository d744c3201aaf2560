/** The units in which the gateway stores times and sizes, and in which people read them. Sizes are binary, as in the gateway. */
const TIMES = { ms: 1, seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const;
const SIZES = { bytes: 1, kb: 1_024, mb: 1_024 ** 2, gb: 1_024 ** 3 } as const;

const UNITS = { ...TIMES, ...SIZES } as const;
export type UnitName = keyof typeof UNITS;

/** The kind of a quantity, by the unit in which it is stored. */
export interface Measure {
  readonly stored: UnitName;
  /** The units to choose from, the smallest first. A smaller one than the stored unit would be a fraction of it. */
  readonly units: readonly UnitName[];
}

/** Matches the unit in the name of a setting, or of the map that contains it: `max_bytes_per_account`, `deadline_minutes.video`. */
const ENDING = /_(ms|seconds|minutes|hours|days|bytes|kb|mb)(?:_per_\w+)?(?:\.\w+)?$/;

export function measureOf(path: string): Measure | null {
  const stored = ENDING.exec(path)?.[1] as UnitName | undefined;
  if (stored === undefined) return null;
  const family = Object.keys(stored in TIMES ? TIMES : SIZES) as UnitName[];
  return { stored, units: family.slice(family.indexOf(stored)) };
}

export interface Amount {
  readonly count: number;
  readonly unit: UnitName;
}

/** Returns a stored value in the largest unit in which it is at least 1 and has at most one decimal, so that nothing is rounded. */
export function readable(value: number, { stored, units }: Measure): Amount {
  const whole = value * UNITS[stored];
  const fitting = units.toReversed().find((unit) => {
    const count = whole / UNITS[unit];
    return count >= 1 && Number.isInteger(count * 10);
  });
  const unit = fitting ?? stored;
  return { count: whole / UNITS[unit], unit };
}

/** Returns an amount in the stored unit. A fraction of it remains one, so that the gateway refuses it. */
export function storedCount({ count, unit }: Amount, { stored }: Measure): number {
  // Dividing may leave an error in the last digit: 1.1 h are 3,960,000.0000000005 ms.
  return Number(((count * UNITS[unit]) / UNITS[stored]).toFixed(6));
}
