import { describe, expect, test } from 'bun:test';
import { compareVersions, parseVersion, withChartVersion, withLockVersion, withPackageVersion } from './version.ts';

const parsed = (text: string) => {
  const version = parseVersion(text);
  if (version === null) throw new Error(`${text} is no version`);
  return version;
};

test.each(['v1.0.0', '1.0', '1.0.0.0', '01.0.0', '1.0.0-', '1.0.0-rc.01', '1.0.0+build', ' 1.0.0', ''])(
  '%j is no version',
  (text) => {
    expect(parseVersion(text)).toBeNull();
  },
);

test('versions are ordered as semver.org says', () => {
  const ordered = [
    '0.1.0',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
    '2.0.0-rc.1',
  ];
  expect(ordered.toReversed().sort((left, right) => compareVersions(parsed(left), parsed(right)))).toEqual(ordered);
  for (const version of ordered) expect(compareVersions(parsed(version), parsed(version))).toBe(0);
});

describe('setting the version changes nothing else', () => {
  test('in package.json', () => {
    const text = (version: string) =>
      `{\n  "name": "a",\n  "version": "${version}",\n  "engines": {\n    "version": "5"\n  }\n}\n`;
    expect(withPackageVersion(text('0.1.0'), '1.0.0-rc.1')).toBe(text('1.0.0-rc.1'));
    expect(() => withPackageVersion('{}', '1.0.0')).toThrow('package.json has no version');
  });

  test('in package-lock.json, at both places', () => {
    const text = (version: string) => `{
  "name": "a",
  "version": "${version}",
  "packages": {
    "": {
      "name": "a",
      "version": "${version}",
      "license": "MIT"
    },
    "node_modules/b": {
      "version": "0.1.0"
    }
  }
}
`;
    expect(withLockVersion(text('0.1.0'), '1.0.0')).toBe(text('1.0.0'));
  });

  test('in Chart.yaml', () => {
    const text = 'apiVersion: v2\nname: a\nversion: 0.1.0\nappVersion: "0.1.0"\n';
    expect(withChartVersion(text, '1.0.0-rc.1')).toBe(
      'apiVersion: v2\nname: a\nversion: 1.0.0-rc.1\nappVersion: "1.0.0-rc.1"\n',
    );
  });
});
