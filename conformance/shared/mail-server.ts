/** An email as a mail server received it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** A mail server on this machine, without encryption, that accepts every email, unless `refusal` answers the recipient. */
export class TestMailServer {
  readonly mails: ReceivedMail[] = [];
  /** The reply to `RCPT TO`, such as `550 5.1.1 no such user`; `null` accepts it. */
  refusal: string | null = null;
  readonly #server = Bun.listen<{ lines: string[]; inData: boolean; rest: string }>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) => {
        socket.data = { lines: [], inData: false, rest: '' };
        socket.write('220 test\r\n');
      },
      data: (socket, chunk) => {
        const { data } = socket;
        const lines = (data.rest + chunk.toString()).split('\r\n');
        data.rest = lines.pop() ?? '';
        for (const line of lines) socket.write(this.#answer(data, line));
      },
    },
  });

  get port(): number {
    return this.#server.port;
  }

  close(): void {
    this.#server.stop(true);
  }

  #answer(data: { lines: string[]; inData: boolean }, line: string): string {
    data.lines.push(line);
    if (data.inData) {
      if (line !== '.') return '';
      data.inData = false;
      this.mails.push(mailIn(data.lines.splice(0)));
      return '250 taken\r\n';
    }
    if (line === 'DATA') {
      data.inData = true;
      return '354 go on\r\n';
    }
    if (/^(?:STARTTLS|AUTH)\b/.test(line)) return '502 not here\r\n';
    if (line.startsWith('RCPT') && this.refusal !== null) return `${this.refusal}\r\n`;
    return line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n';
  }
}

function mailIn(lines: readonly string[]): ReceivedMail {
  const recipient = lines.find((line) => line.startsWith('RCPT TO:')) ?? '';
  const content = lines.slice(lines.indexOf('DATA') + 1, -1);
  const end = content.indexOf('');
  // A long header continues on the next line (RFC 5322, 2.2.3).
  const headers = content
    .slice(0, end)
    .join('\n')
    .replace(/\n[ \t]+/g, ' ')
    .split('\n');
  const header = (name: string) => headers.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
  const body = content.slice(end + 1).join('\n');
  const isQuoted = header('Content-Transfer-Encoding') === 'quoted-printable';
  return {
    from: header('From'),
    to: /<(.*)>/.exec(recipient)?.[1] ?? '',
    subject: decodedWords(header('Subject')),
    text: isQuoted ? fromQuotedPrintable(body) : body,
  };
}

/** Decodes the encoded words of a header, between which spaces do not count (RFC 2047, 6.2). */
function decodedWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_word, kind: string, content: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(content, 'base64').toString()
        : fromQuotedPrintable(content.replaceAll('_', ' ')),
    );
}

function fromQuotedPrintable(text: string): string {
  const bytes = text
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
