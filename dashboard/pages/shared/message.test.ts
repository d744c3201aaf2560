import { expect, test } from 'bun:test';
import { plainMessage } from './message.ts';

test.each([
  ['temperature must be a number from 0 to 2; got "hot"', 'temperature must be a number from 0 to 2; got "hot"'],
  ['use <model> & a value < 2', 'use <model> & a value < 2'],
  [
    '<html>\r\n<head><title>502</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr>nginx &amp; co\r\n</body></html>',
    '502 Bad Gateway\nnginx & co',
  ],
  ['<body><script>alert("x")</script>It broke.<style>p{}', 'It broke.'],
  ['<p>&lt;script&gt;alert(1)&lt;/script&gt;', '<script>alert(1)</script>'],
  ['\u001b[31mred\u001b[0m\u0000 text', 'red text'],
  ['  one \n\n\n  two  ', 'one\ntwo'],
  ['', ''],
])('%p is shown as %p', (message, shown) => {
  expect(plainMessage(message)).toBe(shown);
});
