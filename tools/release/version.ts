/** A version by https://semver.org, without build metadata. */
export interface Version {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  /** The identifiers after the hyphen; empty for a final version. */
  readonly prerelease: readonly string[];
}

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;
const NUMBER = /^\d+$/;

/** Returns `null` if the text is not a version, such as `v1.0.0` or `1.0`. */
export function parseVersion(text: string): Version | null {
  const [matched, major, minor, patch, rest] = VERSION.exec(text) ?? [];
  if (matched === undefined) return null;
  const prerelease = rest?.split('.') ?? [];
  if (prerelease.some((one) => NUMBER.test(one) && one.length > 1 && one.startsWith('0'))) return null;
  return { numbers: [Number(major), Number(minor), Number(patch)], prerelease };
}

/** Compares by precedence: a negative number if the left version is older. */
export function compareVersions(left: Version, right: Version): number {
  for (const [at, number] of left.numbers.entries()) {
    const difference = number - (right.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.prerelease.length === 0 || right.prerelease.length === 0)
    return right.prerelease.length - left.prerelease.length;
  for (const [at, identifier] of left.prerelease.entries()) {
    const other = right.prerelease[at];
    if (other === undefined) return 1;
    const difference = compareIdentifiers(identifier, other);
    if (difference !== 0) return difference;
  }
  return left.prerelease.length - right.prerelease.length;
}

/** Numbers come before words. */
function compareIdentifiers(left: string, right: string): number {
  const [isNumber, isOtherNumber] = [NUMBER.test(left), NUMBER.test(right)];
  if (isNumber && isOtherNumber) return Number(left) - Number(right);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Returns the text of package.json with another version and nothing else changed. Throws if it has none. */
export function withPackageVersion(text: string, version: string): string {
  return replaced(text, /^( {2}"version": )"[^"]*"/m, `$1"${version}"`, 'package.json');
}

/** Returns the text of package-lock.json with another version of the project itself, which it states twice. */
export function withLockVersion(text: string, version: string): string {
  const own = replaced(text, /^( {2}"version": )"[^"]*"/m, `$1"${version}"`, 'package-lock.json');
  return replaced(own, /^( {4}"": \{[^}]*?"version": )"[^"]*"/m, `$1"${version}"`, 'package-lock.json');
}

/** Returns the text of a Helm chart's Chart.yaml with the version of the chart and of the application, which are the same. */
export function withChartVersion(text: string, version: string): string {
  const own = replaced(text, /^version: .*$/m, `version: ${version}`, 'Chart.yaml');
  return replaced(own, /^appVersion: .*$/m, `appVersion: "${version}"`, 'Chart.yaml');
}

function replaced(text: string, pattern: RegExp, replacement: string, file: string): string {
  if (!pattern.test(text)) throw new Error(`${file} has no version where one is expected (${pattern.source})`);
  return text.replace(pattern, replacement);
}
