import { expect, test } from 'bun:test';
import type { PiiClass } from './guard.ts';
import { PII_CLASSES } from './guard.ts';
import { piiIn } from './pii.ts';

const found = (kind: PiiClass, text: string) => piiIn(kind, text, 100).map(({ start, end }) => text.slice(start, end));

test.each<[PiiClass, string, string[]]>([
  ['email', 'To jane.doe+x@mail.example.co.uk, or <ü@exämple.de>.', ['jane.doe+x@mail.example.co.uk', 'ü@exämple.de']],
  ['email', 'user@localhost and @handle and a@b', []],
  [
    'phone',
    '+49 (0)30 1234-5678, (415) 555-1234, 0044 20 7946 0958',
    ['+49 (0)30 1234-5678', '0044 20 7946 0958', '(415) 555-1234'],
  ],
  ['phone', 'in 2024-01-02 at 12:30, order 1234567890, v1.2.3', []],
  [
    'card',
    '4111 1111 1111 1111, 5555-5555-5555-4444, 378282246310005',
    ['4111 1111 1111 1111', '5555-5555-5555-4444', '378282246310005'],
  ],
  ['card', '4111 1111 1111 1112 and 0000000000000000 and 1234567890123', []],
  [
    'iban',
    'DE89 3704 0044 0532 0130 00 thanks, GB82WEST12345698765432.',
    ['DE89 3704 0044 0532 0130 00', 'GB82WEST12345698765432'],
  ],
  ['iban', 'DE88 3704 0044 0532 0130 00, XX89370400440532013000', []],
  ['us_ssn', '078-05-1120 and 078 05 1120', ['078-05-1120', '078 05 1120']],
  ['us_ssn', '000-12-3456, 666-12-3456, 912-12-3456, 123-00-4567, 123-45-67890', []],
  [
    'ip_address',
    '10.0.0.1, fe80::1ff:fe23:4567:890a, 2001:db8:0:0:0:0:2:1',
    ['10.0.0.1', 'fe80::1ff:fe23:4567:890a', '2001:db8:0:0:0:0:2:1'],
  ],
  ['ip_address', '1.2.3.4.5, 999.1.1.1, 12:30:45, std::vector, a::b', []],
  [
    'secret',
    'sk-proj-abcdefghijklmnopqrstuv AKIAIOSFODNN7EXAMPLE',
    ['sk-proj-abcdefghijklmnopqrstuv', 'AKIAIOSFODNN7EXAMPLE'],
  ],
  ['secret', 'task-based ask-me-anything-about-this-long-thing', []],
])('%s in %s', (kind, text, expected) => {
  expect(found(kind, text)).toEqual(expected);
});

test('hostile texts of a megabyte are searched without backtracking', () => {
  const hostile = [
    'a@',
    'a@a.',
    '9 ',
    '+1(2)(3',
    'a:',
    'eyJ',
    '1.',
    'DE11 ',
    '-----BEGIN PRIVATE KEY-----',
    `${'a'.repeat(63)}@`,
  ];
  for (const part of hostile) {
    const text = part.repeat(200_000 / part.length);
    for (const kind of PII_CLASSES) expect(piiIn(kind, text, 10).length).toBeLessThanOrEqual(10);
  }
});
