/* Development tokens, created by hand so that tests can also create invalid ones. */

import { createHmac } from 'node:crypto';
import { MARK } from '../secrets.mjs';

export const SECRET = `end-to-end-secret-of-more-than-32-bytes-${MARK}`;

const VIEWER = ['chat:use', 'chat:read_projects'];
const ANALYST = [...VIEWER, 'chat:read_market_data'];
const MANAGER = [...ANALYST, 'chat:read_budget', 'chat:read_pbi_metrics', 'chat:view_sql'];
export const ROLES = {
  viewer: VIEWER, analyst: ANALYST, manager: MANAGER, admin: [...MANAGER, 'chat:advanced_sql', 'chat:admin'],
};

const HASHES = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' };

export function nowS() {
  return Math.floor(Date.now() / 1000);
}

function encode(value) {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

export function signToken(header, claims, secret = SECRET) {
  const signed = `${encode(header)}.${encode(claims)}`;
  const hash = HASHES[header.alg];
  const signature = hash ? createHmac(hash, secret).update(signed).digest('base64url') : '';
  return `${signed}.${signature}`;
}

/* Members that are undefined are omitted from the claims. */
export function mintToken({ role = 'manager', secret, header, ...claims } = {}) {
  return signToken({ alg: 'HS256', typ: 'JWT', ...header },
    { sub: 'e2e-user', tenant_id: 'vesper', permissions: ROLES[role], exp: nowS() + 3600, ...claims }, secret);
}
