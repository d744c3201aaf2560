/** A reason why a TLS connection cannot be made. */
export interface TlsProblem {
  /** The kind of the failure. */
  readonly kind: string;
  /** A sentence for operators and clients. */
  readonly message: string;
}

interface Known extends TlsProblem {
  readonly codes: readonly string[];
}

/** OpenSSL's and Node's names of certificate errors. */
const KNOWN: readonly Known[] = [
  {
    kind: 'tls_certificate_expired',
    message: "The upstream's TLS certificate has expired.",
    codes: ['CERT_HAS_EXPIRED'],
  },
  {
    kind: 'tls_certificate_not_yet_valid',
    message: "The upstream's TLS certificate is not valid yet. Check the clock of this machine.",
    codes: ['CERT_NOT_YET_VALID'],
  },
  {
    kind: 'tls_certificate_name',
    message: "The upstream's TLS certificate is for another host name.",
    codes: ['ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH', 'IP_ADDRESS_MISMATCH'],
  },
  {
    kind: 'tls_certificate_self_signed',
    message: "The upstream's TLS certificate is self-signed.",
    codes: ['DEPTH_ZERO_SELF_SIGNED_CERT'],
  },
  {
    kind: 'tls_certificate_untrusted',
    message:
      "The upstream's TLS certificate is signed by no authority that this machine trusts, or its chain is incomplete.",
    codes: [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'CERT_UNTRUSTED',
      'CERT_REJECTED',
      'INVALID_CA',
      'CERT_CHAIN_TOO_LONG',
    ],
  },
  {
    kind: 'tls_certificate_revoked',
    message: "The upstream's TLS certificate was revoked.",
    codes: ['CERT_REVOKED'],
  },
  {
    kind: 'tls_handshake',
    message:
      'The TLS handshake with the upstream failed: it may not speak TLS at this port, support no common TLS version, or require a client certificate.',
    codes: ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'],
  },
];

const BY_CODE: ReadonlyMap<string, Known> = new Map(
  KNOWN.flatMap((known) => known.codes.map((code): [string, Known] => [code, known])),
);

/** Further names, such as `UNABLE_TO_GET_CRL` and `ERR_SSL_…`. */
const OTHER_TLS_CODE = /^[A-Z0-9_]*(?:CERT|TLS|SSL|SELF_SIGNED|ALTNAME|CRL)[A-Z0-9_]*$|^UNABLE_TO_[A-Z0-9_]+$/;
const LONGEST_CODE = 80;

/** Returns the reason for an error code of a socket; `null` if the error is not one of TLS. */
export function tlsProblem(code: string): TlsProblem | null {
  const known = BY_CODE.get(code);
  if (known !== undefined) return { kind: known.kind, message: known.message };
  if (!OTHER_TLS_CODE.test(code) || code.length > LONGEST_CODE) return null;
  return { kind: 'tls', message: `The TLS connection to the upstream failed (${code}).` };
}
