// What ipywidgets does not tell a screen reader. `this` is a style element inside of what is told about; where a front end
// runs no such script, all is as it was.
const box = this.closest('.lab-explorer, .lab-guess');
if (!box || box.labTold) return;
box.labTold = true;
const words = name => box.querySelector(name)?.textContent.trim() ?? '';
const call = (part, name) => { if (part && name) part.setAttribute('aria-label', name); };
const tell = () => {
    for (const control of box.querySelectorAll('.lab-control, .lab-place')) {
        const labels = [...control.querySelectorAll('label')].map(label => label.textContent.trim());
        const handle = control.querySelector('.noUi-handle'), typed = control.querySelector('input[type=text]');
        call(handle, labels.find(Boolean));
        if (handle && typed) handle.setAttribute('aria-valuetext', typed.value || '–'); // it stands on stops, not on numbers
    }
    box.querySelector('.lab-sentence')?.setAttribute('aria-live', 'polite');
    box.querySelector('img.lab-picture')?.setAttribute('alt', words('.lab-sentence p'));
    call(box.querySelector('.lab-asked input, .lab-asked select'), words('.lab-asked b'));
    if (box.matches('.lab-guess') && words('b')) {
        box.setAttribute('role', 'group');
        call(box, words('b'));
    }
};
new MutationObserver(tell).observe(box, {childList: true, subtree: true});
tell();
