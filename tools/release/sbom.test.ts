import { expect, test } from 'bun:test';
import { imageSbom, reproducible } from './sbom.ts';

const DATE = '2026-11-29T18:00:00Z';
const made = (serialNumber: string, timestamp: string, name = 'a') =>
  reproducible({ serialNumber, metadata: { timestamp, tools: [] }, components: [{ name }] }, DATE);

test('a bill of materials depends on its content and its date only', () => {
  const document = JSON.parse(made('urn:uuid:1', '2026-01-01'));
  expect(document.metadata).toEqual({ timestamp: DATE, tools: [] });
  expect(document.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(made('urn:uuid:2', '2026-02-02')).toBe(made('urn:uuid:1', '2026-01-01'));
  expect(JSON.parse(made('', '', 'b')).serialNumber).not.toBe(document.serialNumber);
});

test("an image's bill of materials adds the packages of its base", () => {
  const application = JSON.stringify({
    bomFormat: 'CycloneDX',
    metadata: {
      timestamp: '',
      component: { 'bom-ref': 'switchyard@1.2.0', licenses: [{ license: { id: 'Apache-2.0' } }] },
    },
    components: [{ 'bom-ref': 'pg@8.0.0', name: 'pg' }],
    dependencies: [{ ref: 'switchyard@1.2.0', dependsOn: ['pg@8.0.0'] }],
  });
  const packages = [
    'Package: libc6\nVersion: 2.36-9+deb12u14\nArchitecture: amd64\nMaintainer: GNU Libc Maintainers\nDescription: a\n Package: b\n',
    'Package: netbase\nArchitecture: all\nVersion: 6.4\nMaintainer: Marco\n',
  ].join('');
  const document = JSON.parse(imageSbom(application, { version: '1.2.0', architecture: 'amd64', packages }, DATE));
  const libc = 'pkg:deb/debian/libc6@2.36-9%2Bdeb12u14?arch=amd64';
  const netbase = 'pkg:deb/debian/netbase@6.4?arch=all';
  expect(document.metadata).toMatchObject({ timestamp: DATE, component: { type: 'container', version: '1.2.0' } });
  expect(document.components.map((component: { 'bom-ref': string }) => component['bom-ref'])).toEqual([
    'switchyard@1.2.0',
    'pg@8.0.0',
    libc,
    netbase,
  ]);
  expect(document.dependencies).toEqual([
    { ref: 'image-amd64', dependsOn: ['switchyard@1.2.0', libc, netbase] },
    { ref: 'switchyard@1.2.0', dependsOn: ['pg@8.0.0'] },
  ]);
});
