"""Certificates of a fleet: an authority of its own, and one certificate for each role.

Whoever has any of them can run code on every host: Dask asks for the authority alone.
"""

from __future__ import annotations

import datetime
import ipaddress
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

import platformdirs

from iogauge.model.errors import UserError, cause

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from distributed.security import Security

Role = Literal["scheduler", "worker", "client"]
ROLES: tuple[Role, ...] = ("scheduler", "worker", "client")
AUTHORITY = "ca"
FOLDER = "IOGAUGE_FLEET_CERTS"
"""A variable of the environment: the folder of certificates."""
_DAYS = 825
_PART = r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_HOST = re.compile(rf"(?=.{{1,253}}$)(?!.*\.\d+$){_PART}(\.{_PART})*")
_SECRET, _PUBLIC = 0o600, 0o644


def usual() -> Path:
    """Where certificates are, if nobody says."""
    given = os.environ.get(FOLDER)
    return Path(given) if given else platformdirs.user_config_path("iogauge") / "fleet-certs"


def make(folder: Path, names: Iterable[str]) -> list[Path]:
    """Write an authority and certificates of all roles; `names` are host names and addresses of
    the scheduler. Raises UserError for what is no name, and for a folder that has some already.
    """
    from cryptography.hazmat.primitives.asymmetric import ec

    called = [_called(each) for each in names]
    if (folder / f"{AUTHORITY}.pem").exists():
        raise UserError(f"{folder}: has certificates already; remove them, or give another folder")
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: not a folder; give another")
    try:
        if not folder.exists():
            folder.mkdir(mode=0o700, parents=True)  # one that is there stays as it is
        authority_key = ec.generate_private_key(ec.SECP256R1())
        authority = _authority(authority_key)
        paths = [
            _write_key(folder / f"{AUTHORITY}-key.pem", authority_key),
            _write(folder / f"{AUTHORITY}.pem", _pem(authority), _PUBLIC),
        ]
        for role in ROLES:
            key = ec.generate_private_key(ec.SECP256R1())
            signed = _signed(role, key, authority, authority_key, called)
            paths += [
                _write_key(folder / f"{role}-key.pem", key),
                _write(folder / f"{role}.pem", _pem(signed), _PUBLIC),
            ]
    except OSError as error:
        raise UserError(f"{cause(error)}; give another folder") from None
    return paths


def needed(role: Role) -> list[str]:
    """The files of a folder that whoever has this role needs."""
    return [f"{AUTHORITY}.pem", f"{role}.pem", f"{role}-key.pem"]


def security(address: str, role: Role, folder: Path | None) -> Security | None:
    """What Dask is to encrypt with at this address; None for an address of this machine without
    encryption. Raises UserError for one of another machine, and where certificates are missing.
    """
    if not must_encrypt(address):
        return None
    where = folder or usual()
    absent = [each for each in needed(role) if not (where / each).is_file()]
    if absent:
        raise UserError(
            f"{address}: {where} has no {absent[0]}; make certificates with iogauge fleet certs, "
            "or name their folder with --certs"
        )
    from distributed.security import Security

    files: dict[str, Any] = {
        "tls_ca_file": str(where / f"{AUTHORITY}.pem"),
        f"tls_{role}_cert": str(where / f"{role}.pem"),
        f"tls_{role}_key": str(where / f"{role}-key.pem"),
    }
    return Security(require_encryption=True, **files)


def must_encrypt(address: str) -> bool:
    """Whether an address is of TLS. Raises UserError for what is no address of a scheduler, and for
    one in the open that is not of this machine.
    """
    form = "write tls://HOST:8786"
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UserError(f"{address}: {error}; {form}") from None
    if parts.scheme not in ("tls", "tcp") or not host or not port:
        raise UserError(f"{address}: not the address of a scheduler; {form}")
    if parts.scheme == "tls":
        return True
    if not _is_of_this_machine(host):
        raise UserError(
            f"{address}: not encrypted, and whoever reaches it can run code on every host; use "
            "tls:// with certificates from iogauge fleet certs"
        )
    return False


def _is_of_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _authority(key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    from cryptography import x509

    name = _name("iogauge fleet authority")
    usage = _usage(key_cert_sign=True, crl_sign=True)
    return (
        _begun(name, name, key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .sign(key, _hash())
    )


def _signed(
    role: Role,
    key: ec.EllipticCurvePrivateKey,
    authority: x509.Certificate,
    authority_key: ec.EllipticCurvePrivateKey,
    names: Sequence[x509.GeneralName],
) -> x509.Certificate:
    """Each role is server and client at once: workers talk to each other, and schedulers to them.
    The names are for those who check them; Dask checks the authority.
    """
    from cryptography import x509
    from cryptography.x509.oid import ExtendedKeyUsageOID as Usage

    issued = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key())
    begun = (
        _begun(_name(f"iogauge fleet {role}"), authority.subject, key)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(digital_signature=True), critical=True)
        .add_extension(
            x509.ExtendedKeyUsage([Usage.SERVER_AUTH, Usage.CLIENT_AUTH]), critical=False
        )
        .add_extension(issued, critical=False)
    )
    own = [_called(f"iogauge-{role}"), *(names if role == "scheduler" else [])]
    return begun.add_extension(x509.SubjectAlternativeName(own), critical=False).sign(
        authority_key, _hash()
    )


def _begun(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    from cryptography import x509

    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))  # clocks of hosts differ
        .not_valid_after(now + datetime.timedelta(days=_DAYS))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(**given: bool) -> x509.KeyUsage:
    from cryptography import x509

    names = (
        "digital_signature",
        "content_commitment",
        "key_encipherment",
        "data_encipherment",
        "key_agreement",
        "key_cert_sign",
        "crl_sign",
        "encipher_only",
        "decipher_only",
    )
    return x509.KeyUsage(**{name: given.get(name, False) for name in names})


def _name(text: str) -> x509.Name:
    from cryptography import x509

    return x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, text)])


def _called(name: str) -> x509.GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        if not _HOST.fullmatch(name):
            raise UserError(
                f"{name}: neither the name nor the address of a machine; write HOST or 10.0.0.1"
            ) from None
        return x509.DNSName(name)


def _hash() -> Any:
    from cryptography.hazmat.primitives import hashes

    return hashes.SHA256()


def _pem(certificate: x509.Certificate) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM)


def _write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> Path:
    from cryptography.hazmat.primitives import serialization as to

    text = key.private_bytes(to.Encoding.PEM, to.PrivateFormat.PKCS8, to.NoEncryption())
    return _write(path, text, _SECRET)


def _write(path: Path, text: bytes, mode: int) -> Path:
    """It never lies there with another mode, and never replaces anything."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(fd, "wb") as file:
        file.write(text)
    return path
