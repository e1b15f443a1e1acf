interface Page {
  /** Fresh for every answer. */
  nonce: string;
  /** Whether browsers reach the app over https. */
  https: boolean;
  /** The development server's React uses eval to show where an error came from. */
  development: boolean;
}

/** Two years, as browsers' preload lists ask for. */
const HSTS_SECONDS = 63_072_000;

/** What no page of ours uses. */
const UNUSED_FEATURES = ["camera", "microphone", "geolocation", "payment", "usb", "browsing-topics"];

/**
 * The policy of one page (CSP Level 3): scripts run only with this answer's nonce, or when such a script loaded them;
 * nothing is framed, nothing else is loaded from anywhere but here. Style attributes are allowed: the parts that place
 * menus and dialogs write them.
 */
export function contentSecurityPolicy({ nonce, https, development }: Page): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ""}`,
    `style-src 'self' ${development ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    ...(https ? ["upgrade-insecure-requests"] : []),
  ].join("; ");
}

/** What every answer carries besides the policy. */
export function securityHeaders({ https }: Pick<Page, "https">): Record<string, string> {
  return {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": UNUSED_FEATURES.map((feature) => `${feature}=()`).join(", "),
    ...(https ? { "strict-transport-security": `max-age=${HSTS_SECONDS}; includeSubDomains` } : {}),
  };
}
