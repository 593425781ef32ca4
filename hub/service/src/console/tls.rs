//! TLS 1.3 for the console, with the certificate named in `hub.toml`.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::version::TLS13;
use tokio_rustls::{Accept, TlsAcceptor};
use xpuck_hub_core::config::TlsFiles;
use xpuck_wire::{FileError, file};

/// Maximum size of a certificate or key file (bytes).
const LONGEST: u64 = 1 << 20;
/// First byte of a TLS handshake (RFC 8446, section 5.1).
const HANDSHAKE: u8 = 22;
/// Response to a client that uses plain HTTP.
const PLAIN: &[u8] =
    b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nthis console uses TLS; its \
     address begins with https://\n";

/// Acceptor of TLS connections.
#[derive(Clone)]
pub struct Tls(TlsAcceptor);

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

impl Tls {
    /// Reads a certificate chain and its private key, both in PEM format.
    ///
    /// # Errors
    /// If a file is unreadable or has other contents, or the key does not belong to the certificate.
    pub fn read(files: &TlsFiles) -> Result<Tls, FileError> {
        let wrong =
            |path: &Path, why: &dyn fmt::Display| FileError::value(&path.display().to_string(), why.to_string());
        let text = file::text(&files.certificate, LONGEST)?;
        let chain: Result<Vec<CertificateDer>, _> = CertificateDer::pem_slice_iter(text.as_bytes()).collect();
        let chain = chain.map_err(|error| wrong(&files.certificate, &format!("not a certificate in PEM: {error}")))?;
        let text = file::text(&files.key, LONGEST)?;
        let key = PrivateKeyDer::from_pem_slice(text.as_bytes())
            .map_err(|error| wrong(&files.key, &format!("not a private key in PEM: {error}")))?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&TLS13])
            .map(|builder| builder.with_no_client_auth())
            .and_then(|builder| builder.with_single_cert(chain, key))
            .map_err(|error| {
                wrong(&files.certificate, &format!("cannot be used with {}: {error}", files.key.display()))
            })?;
        Ok(Tls(TlsAcceptor::from(Arc::new(config))))
    }

    /// Starts the TLS handshake with a client.
    pub fn accept(&self, socket: TcpStream) -> Accept<TcpStream> {
        self.0.accept(socket)
    }
}

/// Waits for the peer's first byte, and returns whether it starts a TLS handshake. Also returns true if the
/// connection has ended.
pub async fn begins(socket: &TcpStream) -> bool {
    let mut first = [0];
    !matches!(socket.peek(&mut first).await, Ok(1..) if first[0] != HANDSHAKE)
}

/// Sends an explanation to a client that uses plain HTTP, and closes the connection.
pub async fn refuse(mut socket: TcpStream) {
    // The connection ends here in any case, so a write error is ignored.
    let _ = socket.write_all(PLAIN).await;
    let _ = socket.shutdown().await;
}
